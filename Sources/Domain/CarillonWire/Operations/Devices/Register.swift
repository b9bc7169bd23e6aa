package import CarillonCore

/// The request REGISTER (Protocol 7.1).
///
/// It has exactly the fields of a registration, and no other request has them. So the registration is the request: a
/// type of its own would repeat the fields or wrap the value. CarillonCore knows neither the opcode nor the codec.
package typealias RegisterRequest = Registration

extension Registration: ChangeOperation {
    package static let opcode = Opcode.register

    package func change(at now: Timestamp) -> Change { .register(self, now: now) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .registered(let device, let result, _, _) = answer {
            RegisterAnswer(device: device, result: result)
        } else {
            nil
        }
    }

    /// Returns the name that the request has for a field: the registry speaks of the devices that gain topics, and here
    /// it is one.
    package static func requestField(_ field: String) -> String { field == "devices" ? "groups" : field }

    /// True if the registration has a time of its own: without one, a repetition would be a newer registration.
    package var isRepeatable: Bool { seenAt != .zero }

    /// True if a request can contain all of the registration.
    var isRequestable: Bool {
        topics.count <= Self.maximumNames && groups.count <= Self.maximumNames && replaces != address.token
            && address.fault == nil && (subscription == nil || address.kind == .web)
            && DeviceUpdate.isRequestable(locale: locale, timeZone: timeZone, attributes: attributes)
    }
}

/// The answer to REGISTER (Protocol 7.1).
package struct RegisterAnswer: Hashable, Sendable {
    package var device: DeviceID
    package var result: RegisterResultKind

    package init(device: DeviceID, result: RegisterResultKind) {
        self.device = device
        self.result = result
    }
}

extension Opcode {
    package static let register = Opcode(rawValue: 0x0010)
}

// MARK: Codec (Protocol 7.1)

extension Registration {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let address = try reader.address()
        let seenAt = try reader.time("seen_at")
        var replaces: DeviceToken?
        var update = DeviceUpdate()
        var topics: [TopicName] = []
        var groups: [GroupName] = []
        var subscription: WebPushSubscription?
        try reader.finish { reader, tag, value throws(WireError) in
            switch tag {
            case 17: replaces = try reader.token(value, field: "replaces")
            case 18: update.locale = try reader.locale(value)
            case 19:
                topics = try reader.parse(value, as: "topics") { reader throws(WireError) in
                    try reader.topics(0...Self.maximumNames)
                }
            case 20: update.timeZone = try reader.timeZone(value)
            case 21:
                groups = try reader.parse(value, as: "groups") { reader throws(WireError) in
                    try reader.groups(0...Self.maximumNames)
                }
            case 23: update.attributes = try reader.parse(value, as: "attributes", PayloadReader.attributeChanges)
            case 25: subscription = reader.subscription(value, of: address.kind)
            default: return try common.read(tag, value: value, with: reader)
            }
            return true
        }
        self.init(
            app: app, address: address, seenAt: seenAt,
            // A registration that replaces its own token is like any other registration.
            replaces: replaces == address.token ? nil : replaces,
            locale: update.locale, timeZone: update.timeZone, attributes: update.attributes, topics: topics,
            groups: groups, subscription: subscription)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(seenAt.milliseconds)
        // The fields are written one by one, without a list of them: most registrations have none or few.
        writer.section { writer in
            common.write(to: &writer) + writer.tag(17, replaces?.bytes) + writer.tag(18, locale)
                + writer.tag(FrameWriter.field(19, list: topics) { $0.string($1.name) }) + writer.tag(20, timeZone)
                + writer.tag(FrameWriter.field(21, list: groups) { $0.string($1.name) })
                + writer.tag(FrameWriter.field(23, attributes)) + writer.tag(25, subscription?.json)
        }
    }

    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> RegisterAnswer {
        let device = try reader.deviceID()
        let result = RegisterResultKind(rawValue: try reader.u8("result"))
        try reader.finishAnswer()
        return RegisterAnswer(device: device, result: result)
    }

    package static func write(_ answer: RegisterAnswer, to writer: inout FrameWriter) {
        writer.u64(answer.device.rawValue)
        writer.u8(answer.result.rawValue)
    }
}
