package import CarillonCore

/// The request SEND (Protocol 10.1).
///
/// It has exactly the fields of a message, and no other request has them. So the message is the request, as a
/// `Registration` is the request REGISTER.
package typealias SendRequest = Message

extension Message: IndividualOperation, AppOperation {
    package typealias Answer = SendResult

    package static let opcode = Opcode.send

    package var app: AppID { content.app }
    package var changesState: Bool { !isDryRun }
    package var isRepeatable: Bool { idempotencyKey?.nonzero != nil }

    package consuming func individualRequest() -> IndividualRequest { .send(self) }

    package consuming func serverRequest() -> ServerRequest {
        isDryRun ? .dryRun(self) : .individual(individualRequest())
    }
}

extension Opcode {
    package static let send = Opcode(rawValue: 0x0050)
}

// MARK: Codec (Protocol 10.1)

extension Message {
    /// The fields about devices by tag, which a broadcast push must not have.
    private static let fieldsOfDevices: [UInt32: String] = [
        SendTag.collapseID: "collapse_id", SendTag.bodies: "bodies", SendTag.excludedDevice: "except",
        SendTag.idKey: "id_key", SendTag.android: "android", SendTag.rawAndroid: "android_raw",
        SendTag.web: "web", SendTag.rawWeb: "web_raw",
    ]

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let key = try reader.uuid("key").nonzero
        let pushType = try reader.pushType()
        let priority = try reader.priority(for: pushType)
        let kind = try reader.audienceKind(for: pushType)
        let devices = try reader.devices(kind == .devices ? 1...WireLimits.batchItems : 0...0)
        let content = MessageContent(
            app: app, pushType: pushType ?? .alert, priority: priority,
            payload: try reader.payload(for: pushType, to: kind))
        var message = Message(
            idempotencyKey: key, content: content, audience: kind == .all ? .all : .devices(devices))
        var channel: ChannelID?
        var environment: APNsEnvironment?
        try reader.finish(requiring: kind.field) { reader, tag, value throws(WireError) in
            if let field = Self.fieldsOfDevices[tag] { reader.refuseForChannel(field, of: kind) }
            switch tag {
            case SendTag.expiration: message.content.expiration = try reader.expiration(value, for: pushType)
            case SendTag.collapseID: message.content.collapseID = try reader.collapseID(value)
            case SendTag.notAfter: message.notAfter = try reader.time(of: value, field: "not_after")
            case SendTag.lane: message.lane = try reader.lane(value)
            case SendTag.groups, SendTag.topic, SendTag.condition:
                message.audience = try reader.audience(value, tag: tag, of: kind)
            case SendTag.bodies: message.content.bodies = try reader.bodies(value, for: pushType)
            case SendTag.excludedDevice: message.excludedDevice = try reader.excludedDevice(value)
            case SendTag.isDryRun: message.isDryRun = try reader.flag(value, field: "dry_run")
            case SendTag.sendAt: message.sendAt = try reader.time(of: value, field: "send_at")
            case SendTag.pace: message.pace = try reader.pace(value)
            case SendTag.overBudget: message.content.overBudget = try reader.overBudget(value)
            case SendTag.idKey: message.content.idKey = try reader.idKey(value, for: pushType, in: message.content)
            case SendTag.label: message.label = try reader.label(value)
            case SendTag.android, SendTag.rawAndroid, SendTag.web, SendTag.rawWeb:
                reader.readProviderContent(value, tag: tag, into: &message.content)
            case SendTag.channel: channel = try reader.channel(value, of: kind)
            case SendTag.channelEnvironment: environment = try reader.channelEnvironment(value, of: kind)
            case TraceParent.tag: message.traceParent = try reader.traceParent(value)
            default: return try common.read(tag, value: value, with: reader)
            }
            return true
        }
        if let channel {
            message.audience = .channel(ChannelAddress(environment: environment ?? .production, id: channel))
        }
        self = message
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(content.app.name)
        writer.uuid(idempotencyKey ?? .zero)
        writer.u8(content.pushType.rawValue)
        writer.u8(content.priority?.rawValue ?? 0)
        writer.u8(AudienceKind(audience).rawValue)
        writer.list(devices) { $0.device($1) }
        writer.blob(content.payload)
        writer.tags(common.fields + tagFields)
    }

    private var tagFields: [FrameWriter.TaggedField?] {
        [
            FrameWriter.field(SendTag.expiration, expirationSeconds),
            FrameWriter.field(SendTag.collapseID, content.collapseID),
            FrameWriter.field(SendTag.notAfter, notAfter?.milliseconds),
            FrameWriter.field(SendTag.lane, lane == .interactive ? nil : lane.rawValue),
            audienceField,
            FrameWriter.field(SendTag.bodies, list: content.bodies) { $0.body($1) },
            FrameWriter.field(SendTag.excludedDevice, excludedDevice),
            FrameWriter.field(SendTag.isDryRun, isDryRun ? true : nil),
            FrameWriter.field(SendTag.sendAt, sendAt?.milliseconds),
            FrameWriter.field(SendTag.pace, pace),
            FrameWriter.field(SendTag.overBudget, content.overBudget == .drop ? nil : content.overBudget.rawValue),
            FrameWriter.field(SendTag.idKey, content.idKey),
            FrameWriter.field(SendTag.label, label),
            content.androidField,
            content.webField,
            FrameWriter.field(SendTag.channel, channel?.id.text),
            channelEnvironmentField,
            FrameWriter.field(TraceParent.tag, traceParent?.description),
        ]
    }

    private var channel: ChannelAddress? {
        if case .channel(let channel) = audience { channel } else { nil }
    }

    /// The tagged field of the channel's environment; nil for production, which a channel without the field has.
    private var channelEnvironmentField: FrameWriter.TaggedField? {
        guard let channel, channel.environment != .production else { return nil }
        return FrameWriter.field(SendTag.channelEnvironment, channel.environment.rawValue)
    }

    private var devices: [DeviceReference] {
        if case .devices(let devices) = audience { devices } else { [] }
    }

    private var expirationSeconds: UInt64? {
        switch content.expiration {
        case .unspecified: nil
        case .once: 0
        case .at(let seconds): seconds
        }
    }

    private var audienceField: FrameWriter.TaggedField? {
        switch audience {
        case .devices, .all, .channel: nil
        case .groups(let groups): FrameWriter.field(SendTag.groups, list: groups) { $0.string($1.name) }
        case .topic(let topic): FrameWriter.field(SendTag.topic, topic.name)
        case .condition(let condition): FrameWriter.field(SendTag.condition, condition.description)
        }
    }
}

/// The answer to SEND and RESEND.
extension SendResult: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            id: try reader.messageID(),
            isDuplicate: try reader.u8("duplicate") != 0,
            total: try reader.u32("total"),
            ended: try reader.u32("ended")
        )
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.u8(isDuplicate ? 1 : 0)
        writer.u32(total)
        writer.u32(ended)
    }
}
