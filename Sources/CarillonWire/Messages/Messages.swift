package import CarillonCore

/// MESSAGE_STATUS (Protocol 8.2).
package struct MessageQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message.
    package var id: MessageID

    /// Makes a MESSAGE_STATUS.
    package init(app: AppID, id: MessageID) {
        self.app = app
        self.id = id
    }
}

/// MESSAGE_OUTCOMES (Protocol 8.3).
package struct OutcomesQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message.
    package var id: MessageID
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a MESSAGE_OUTCOMES.
    package init(app: AppID, id: MessageID, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.id = id
        self.cursor = cursor
        self.limit = limit
    }
}

/// How the audience of a SEND is named (Protocol 8.1).
private enum AudienceForm: UInt8 {
    case devices = 1
    case groups = 2
    case topic = 3
    case condition = 4
    case all = 5

    init(_ audience: Audience) {
        self =
            switch audience {
            case .devices: .devices
            case .groups: .groups
            case .topic: .topic
            case .condition: .condition
            case .all: .all
            }
    }

    /// The tagged field that names it.
    var field: (tag: UInt32, field: String)? {
        switch self {
        case .devices, .all: nil
        case .groups: (23, "groups")
        case .topic: (25, "topic")
        case .condition: (27, "condition")
        }
    }
}

extension Message {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        let app = try reader.app()
        let key = try reader.uuid("key")
        let pushType = try reader.pushType()
        let priority = try reader.priority(for: pushType)
        let form = try reader.audienceForm()
        let devices = try reader.devices(form == .devices ? 1...WireLimits.batch : 0...0)
        let payload = try reader.payload(for: pushType)
        self.init(
            key: key,
            content: MessageContent(app: app, pushType: pushType ?? .alert, priority: priority, payload: payload),
            audience: form == .all ? .all : .devices(devices)
        )
        var message = self
        try reader.finish(requiring: form.field) { reader, tag, value throws(WireFault) in
            switch tag {
            case 17: message.content.expiration = try reader.expiration(value, for: pushType)
            case 19: message.content.collapseID = try reader.collapseID(value)
            case 21: message.notAfter = Timestamp(milliseconds: try reader.whole(UInt64.self, of: value, "not_after"))
            case 22: message.lane = try reader.lane(value)
            case 23, 25, 27: message.audience = try reader.audience(tag, value, of: form)
            case 29: message.content.bodies = try reader.bodies(value, for: pushType)
            case 31:
                message.except = try reader.whole(value, "except") { reader throws(WireFault) in
                    try reader.device("except")
                }
            case 33: message.isDryRun = try reader.flag(value, "dry_run")
            case 35: message.sendAt = Timestamp(milliseconds: try reader.whole(UInt64.self, of: value, "send_at"))
            case 37: message.pace = try reader.pace(value)
            case 39: message.content.overBudget = try reader.overBudget(value)
            case 41: message.content.idKey = try reader.idKey(value, for: pushType, message.content)
            default: return try common.read(tag, value, reader)
            }
            return true
        }
        self = message
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(content.app.name)
        writer.uuid(key)
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
                FrameWriter.field(29, content.bodies) { $0.body($1) }, FrameWriter.field(31, except),
                FrameWriter.field(33, isDryRun ? true : nil), FrameWriter.field(35, sendAt?.milliseconds),
                FrameWriter.field(37, pace),
                FrameWriter.field(39, content.overBudget == .drop ? nil : content.overBudget.rawValue),
                FrameWriter.field(41, content.idKey),
            ]
        )
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

    private var audienceField: (tag: UInt32, value: [UInt8])? {
        switch audience {
        case .devices, .all: nil
        case .groups(let groups): FrameWriter.field(23, groups) { $0.string($1.name) }
        case .topic(let topic): FrameWriter.field(25, topic.name)
        case .condition(let condition): FrameWriter.field(27, condition.description)
        }
    }
}

extension PayloadReader {
    fileprivate mutating func pushType() throws(WireFault) -> PushType? {
        let value = try u8("push_type")
        if let type = PushType(rawValue: value) { return type }
        note("push_type", "push type \(value) is not known")
        return nil
    }

    fileprivate mutating func priority(for type: PushType?) throws(WireFault) -> Priority? {
        let value = try u8("priority")
        if value == 0 { return nil }
        guard let priority = Priority(rawValue: value) else {
            note("priority", "priority \(value) is none of 10, 5, 1 and 0")
            return nil
        }
        if let type { note("priority") { () throws(MessageFault) in try MessageRules.check(priority, for: type) } }
        return priority
    }

    fileprivate mutating func audienceForm() throws(WireFault) -> AudienceForm {
        let value = try u8("audience")
        if let form = AudienceForm(rawValue: value) { return form }
        note("audience", "audience \(value) is not known")
        return .devices
    }

    /// A payload; it may be empty if the content has bodies.
    fileprivate mutating func payload(for type: PushType?) throws(WireFault) -> [UInt8] {
        let payload = Array(try blob("payload"))
        if !payload.isEmpty || !announces(29) { check(payload, "payload", for: type) }
        return payload
    }

    /// The audience that a tagged field names, which must be the one that the form wants.
    fileprivate mutating func audience(
        _ tag: UInt32,
        _ value: UnsafeRawBufferPointer,
        of form: AudienceForm
    ) throws(WireFault) -> Audience {
        let isOwn = form.field?.tag == tag
        switch tag {
        case 23:
            if !isOwn { note("groups", "audience \(form.rawValue) is not named by groups") }
            return .groups(
                try whole(value, "groups") { reader throws(WireFault) in try reader.groups(1...WireLimits.names) })
        case 25:
            if !isOwn { note("topic", "audience \(form.rawValue) is not named by a topic") }
            return .topic(topic(try text(value, "topic", 0...65_535), "topic"))
        default:
            if !isOwn { note("condition", "audience \(form.rawValue) is not named by a condition") }
            return .condition(condition(try text(value, "condition", 0...65_535)))
        }
    }

    fileprivate mutating func expiration(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?
    ) throws(WireFault) -> Expiration {
        let seconds = try whole(UInt64.self, of: value, "expiration")
        let expiration = seconds == 0 ? Expiration.once : .at(seconds: seconds)
        if let type {
            note("expiration") { () throws(MessageFault) in try MessageRules.check(expiration, for: type) }
        }
        return expiration
    }

    fileprivate mutating func collapseID(_ value: UnsafeRawBufferPointer) throws(WireFault) -> String {
        let text = try text(value, "collapse_id", 0...65_535)
        note("collapse_id") { () throws(MessageFault) in try MessageRules.check(collapseID: text) }
        return text
    }

    fileprivate mutating func lane(_ value: UnsafeRawBufferPointer) throws(WireFault) -> Lane {
        let number = try whole(UInt8.self, of: value, "lane")
        if let lane = Lane(rawValue: number) { return lane }
        note("lane", "lane \(number) is neither 1 nor 2")
        return .interactive
    }

    fileprivate mutating func overBudget(_ value: UnsafeRawBufferPointer) throws(WireFault) -> OverBudget {
        let number = try whole(UInt8.self, of: value, "over_budget")
        if let overBudget = OverBudget(rawValue: number) { return overBudget }
        note("over_budget", "over_budget \(number) is neither 1 nor 2")
        return .drop
    }

    /// The key under which payloads bear the message's id, for which each of them must have room.
    fileprivate mutating func idKey(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?,
        _ content: MessageContent
    ) throws(WireFault) -> String {
        let key = try text(value, "id_key", 0...65_535)
        note("id_key") { () throws(MessageFault) in
            try MessageRules.check(idKey: key, in: Array("{}".utf8), for: type ?? .alert)
        }
        guard let type else { return key }
        check(key, in: content.payload, "payload", for: type)
        for (index, body) in content.bodies.enumerated() {
            check(key, in: body.payload, "bodies", item: UInt32(truncatingIfNeeded: index), for: type)
        }
        return key
    }

    /// Notes that a payload has no room for the key or a member of its name; other faults of it are noted already.
    private mutating func check(
        _ key: String,
        in payload: [UInt8],
        _ field: String,
        item: UInt32? = nil,
        for type: PushType
    ) {
        guard !payload.isEmpty, payload.count <= type.payloadByteLimit else { return }
        do throws(MessageFault) {
            try MessageRules.check(idKey: key, in: payload, for: type)
        } catch {
            if let limit = error.limit {
                noteTooLarge(field, error.text, limit: UInt64(limit), item: item)
            } else if error.field == "id_key" {
                note("id_key", error.text)
            }
        }
    }
}

extension MessageQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), id: MessageID(rawValue: try reader.u64("message_id")))
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.tags(common)
    }
}

extension OutcomesQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            id: MessageID(rawValue: try reader.u64("message_id")),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension Acceptance {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(
            id: MessageID(rawValue: try reader.u64("message_id")),
            isDuplicate: try reader.u8("duplicate") != 0,
            total: try reader.u32("total"),
            ended: try reader.u32("ended")
        )
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.u8(isDuplicate ? 1 : 0)
        writer.u32(total)
        writer.u32(ended)
    }
}

extension MessageStatus {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(
            state: try reader.messageState(),
            acceptedAt: try reader.time("accepted_at"),
            finishedAt: try reader.time("finished_at"),
            total: try reader.u64("total"),
            outcomes: [:]
        )
        var outcomes: [Outcome: UInt64] = [:]
        try reader.list("outcomes", elementBytes: 9) { reader, _ throws(WireFault) in
            outcomes[Outcome(rawValue: try reader.u8("outcome"))] = try reader.u64("devices")
        }
        self.outcomes = outcomes
        var status = self
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireFault) in
            switch tag {
            case 16: status.sendAt = Timestamp(milliseconds: try reader.whole(UInt64.self, of: value, "send_at"))
            case 18: status.pace = try reader.whole(UInt32.self, of: value, "pace")
            case 20: status.rate = try reader.whole(UInt32.self, of: value, "rate")
            // It follows from the rate.
            case 22: _ = try reader.whole(UInt64.self, of: value, "remaining_ms")
            case 24: status.received = try reader.whole(UInt64.self, of: value, "received")
            case 26: status.opened = try reader.whole(UInt64.self, of: value, "opened")
            case 28: status.audience = try reader.text(value, "audience", 0...Int(WireLimits.frameBytes))
            default: return false
            }
            return true
        }
        self = status
    }

    func write(_ writer: inout FrameWriter) {
        writer.u8(state.rawValue)
        writer.u64(acceptedAt.milliseconds)
        writer.u64(finishedAt.milliseconds)
        writer.u64(total)
        writer.list(outcomes.filter { $0.value > 0 }.sorted { $0.key < $1.key }) { writer, row in
            writer.u8(row.key.rawValue)
            writer.u64(row.value)
        }
        writer.tags([
            FrameWriter.field(16, sendAt?.milliseconds), FrameWriter.field(18, pace), FrameWriter.field(20, rate),
            FrameWriter.field(22, remainingMilliseconds), FrameWriter.field(24, received > 0 ? received : nil),
            FrameWriter.field(26, opened > 0 ? opened : nil), FrameWriter.field(28, audience),
        ])
    }
}

extension RecipientOutcomePage {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.u64("next"), recipients: [])
        var recipients: [RecipientOutcome] = []
        try reader.list("recipients", elementBytes: 9) { reader, _ throws(WireFault) in
            let id = try reader.u64("device_id")
            recipients.append(
                RecipientOutcome(
                    device: id == 0 ? nil : DeviceID(rawValue: id),
                    outcome: Outcome(rawValue: try reader.u8("outcome"))))
        }
        self.recipients = recipients
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(recipients) { writer, row in
            writer.u64(row.device?.rawValue ?? 0)
            writer.u8(row.outcome.rawValue)
        }
    }
}
