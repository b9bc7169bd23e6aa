package import CarillonCore

/// The request SEND (Protocol 10.1).
package typealias SendRequest = Message

extension Message: DirectOperation, AppOperation {
    package typealias Answer = SendResult

    package static let opcode = Opcode.send

    package var app: AppID { content.app }
    package var changesState: Bool { !isDryRun }
    package var isRepeatable: Bool { idempotencyKey?.nonzero != nil }

    package consuming func directRequest() -> DirectRequest { .send(self) }

    package consuming func serverRequest() -> ServerRequest {
        isDryRun ? .dryRun(self) : .direct(directRequest())
    }
}

extension Opcode {
    package static let send = Opcode(rawValue: 0x0050)
}

// MARK: Codec (Protocol 10.1)

extension Message {
    /// The fields about devices by tag, which a broadcast push must not have.
    private static let fieldsOfDevices: [UInt32: String] = [
        19: "collapse_id", 29: "bodies", 31: "except", 41: "id_key", 45: "android", 47: "android_raw",
        49: "web", 51: "web_raw",
    ]

    private static func excludedDevice(_ reader: inout PayloadReader) throws(WireError) -> DeviceReference {
        try reader.device("except")
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let key = try reader.uuid("key").nonzero
        let pushType = try reader.pushType()
        let priority = try reader.priority(for: pushType)
        let form = try reader.audienceForm()
        reader.checkChannel(form, for: pushType)
        let devices = try reader.devices(form == .devices ? 1...WireLimits.batch : 0...0)
        let content = MessageContent(
            app: app, pushType: pushType ?? .alert, priority: priority,
            payload: try reader.payload(for: pushType, to: form))
        var message = Message(
            idempotencyKey: key, content: content, audience: form == .all ? .all : .devices(devices))
        var channel: ChannelID?
        var environment: APNsEnvironment?
        try reader.finish(requiring: form.field) { reader, tag, value throws(WireError) in
            if let field = Self.fieldsOfDevices[tag] { reader.refuseForChannel(field, of: form) }
            switch tag {
            case 17: message.content.expiration = try reader.expiration(value, for: pushType)
            case 19: message.content.collapseID = try reader.collapseID(value)
            case 21: message.notAfter = try reader.time(of: value, field: "not_after")
            case 22: message.lane = try reader.lane(value)
            case 23, 25, 27: message.audience = try reader.audience(value, tag: tag, of: form)
            case 29: message.content.bodies = try reader.bodies(value, for: pushType)
            case 31: message.excludedDevice = try reader.parse(value, as: "except", Self.excludedDevice)
            case 33: message.isDryRun = try reader.flag(value, field: "dry_run")
            case 35: message.sendAt = try reader.time(of: value, field: "send_at")
            case 37: message.pace = try reader.pace(value)
            case 39: message.content.overBudget = try reader.overBudget(value)
            case 41: message.content.idKey = try reader.idKey(value, for: pushType, in: message.content)
            case 43: message.label = try reader.label(value)
            case 45, 47, 49, 51: reader.readProviderContent(value, tag: tag, into: &message.content)
            case 61: channel = try reader.channel(value, of: form)
            case 63: environment = try reader.channelEnvironment(value, of: form)
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
        writer.u8(AudienceForm(audience).rawValue)
        writer.list(devices) { $0.device($1) }
        writer.blob(content.payload)
        writer.tags(
            common.fields + [
                FrameWriter.field(17, expirationSeconds), FrameWriter.field(19, content.collapseID),
                FrameWriter.field(21, notAfter?.milliseconds),
                FrameWriter.field(22, lane == .interactive ? nil : lane.rawValue), audienceField,
                FrameWriter.field(29, list: content.bodies) { $0.body($1) }, FrameWriter.field(31, excludedDevice),
                FrameWriter.field(33, isDryRun ? true : nil), FrameWriter.field(35, sendAt?.milliseconds),
                FrameWriter.field(37, pace),
                FrameWriter.field(39, content.overBudget == .drop ? nil : content.overBudget.rawValue),
                FrameWriter.field(41, content.idKey), FrameWriter.field(43, label),
                content.androidField, content.webField,
                FrameWriter.field(61, channel?.id.text), channelEnvironmentField,
                FrameWriter.field(TraceParent.tag, traceParent?.description),
            ]
        )
    }

    private var channel: ChannelAddress? {
        if case .channel(let channel) = audience { channel } else { nil }
    }

    /// The tagged field of the channel's environment; nil for production, which a channel without the field has.
    private var channelEnvironmentField: FrameWriter.TaggedField? {
        guard let channel, channel.environment != .production else { return nil }
        return FrameWriter.field(63, channel.environment.rawValue)
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
        case .groups(let groups): FrameWriter.field(23, list: groups) { $0.string($1.name) }
        case .topic(let topic): FrameWriter.field(25, topic.name)
        case .condition(let condition): FrameWriter.field(27, condition.description)
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
