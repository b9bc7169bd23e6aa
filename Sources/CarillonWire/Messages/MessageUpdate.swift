package import CarillonCore

/// MESSAGES (Protocol 8.5).
package struct MessagesQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message before which the page begins, as the last page gave it; 0 = from the newest.
    package var before: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a MESSAGES.
    package init(app: AppID, before: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.before = before
        self.limit = limit
    }
}

/// A page of the messages of an app (Protocol 8.5).
package struct MessagePage: Hashable, Sendable {
    /// `before` of the next page; 0 = this was the last.
    package var next: UInt64
    /// The newest first.
    package var messages: [MessageSummary]

    /// Makes a page.
    package init(next: UInt64, messages: [MessageSummary]) {
        self.next = next
        self.messages = messages
    }
}

/// STEER (Protocol 8.6).
package struct MessageUpdateRequest: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message.
    package var id: MessageID
    /// What is to be done.
    package var messageUpdate: MessageUpdate

    /// Makes a STEER.
    package init(app: AppID, id: MessageID, messageUpdate: MessageUpdate) {
        self.app = app
        self.id = id
        self.messageUpdate = messageUpdate
    }
}

/// RESEND (Protocol 8.7).
package struct MessageResend: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The message, which must be finished.
    package var id: MessageID
    /// The idempotency key of the new message; zero is none.
    package var key: UUIDBytes
    /// To devices that ended so, up to 64; empty = all that a second try can help (Protocol 8.7).
    package var outcomes: [Outcome]
    /// After it no attempt starts; absent = what the message itself says.
    package var notAfter: Timestamp?

    /// Makes a RESEND.
    package init(
        app: AppID, id: MessageID, key: UUIDBytes = .zero, outcomes: [Outcome] = [], notAfter: Timestamp? = nil
    ) {
        self.notAfter = notAfter
        self.app = app
        self.id = id
        self.key = key
        self.outcomes = outcomes
    }
}

/// What STEER does, as the wire names it.
private enum MessageUpdateAction: UInt8 {
    case cancel = 1
    case pause = 2
    case resume = 3
    case pace = 4

    init(_ messageUpdate: MessageUpdate) {
        self =
            switch messageUpdate {
            case .cancel: .cancel
            case .pause: .pause
            case .resume: .resume
            case .pace: .pace
            }
    }

    func messageUpdate(pace: UInt32?) -> MessageUpdate {
        switch self {
        case .cancel: .cancel
        case .pause: .pause
        case .resume: .resume
        case .pace: .pace(pace)
        }
    }
}

extension PayloadReader {
    /// The `pace` of a tag: deliveries a second, at least 1.
    mutating func pace(_ value: UnsafeRawBufferPointer) throws(WireFault) -> UInt32 {
        let pace = try whole(UInt32.self, of: value, "pace")
        if pace == 0 { note("pace", "a pace of 0 is none: pause the message instead") }
        return pace
    }

    /// The `state` of a message.
    mutating func messageState() throws(WireFault) -> MessageState {
        let value = try u8("state")
        if let state = MessageState(rawValue: value) { return state }
        note("state", "state \(value) is not known")
        return .sending
    }
}

extension MessagesQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), before: try reader.u64("before"), limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(before)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension MessagePage {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.u64("next"), messages: [])
        var messages: [MessageSummary] = []
        try reader.list("messages", elementBytes: MessageSummary.byteCount) { reader, _ throws(WireFault) in
            messages.append(try MessageSummary(&reader))
        }
        self.messages = messages
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(messages) { writer, row in
            writer.u64(row.id.rawValue)
            writer.u8(row.state.rawValue)
            writer.u64(row.acceptedAt.milliseconds)
            writer.u8(row.pushType.rawValue)
            writer.u8(row.lane.rawValue)
            writer.u64(row.total)
            writer.u64(row.ended)
        }
    }
}

extension MessageSummary {
    /// Bytes of a row.
    static let byteCount = 35

    init(_ reader: inout PayloadReader) throws(WireFault) {
        let id = MessageID(rawValue: try reader.u64("message_id"))
        let state = try reader.messageState()
        let acceptedAt = try reader.time("accepted_at")
        let type = try reader.u8("push_type")
        if PushType(rawValue: type) == nil { reader.note("push_type", "push type \(type) is not known") }
        let lane = try reader.u8("lane")
        if Lane(rawValue: lane) == nil { reader.note("lane", "lane \(lane) is not known") }
        self.init(
            id: id, state: state, acceptedAt: acceptedAt, pushType: PushType(rawValue: type) ?? .alert,
            lane: Lane(rawValue: lane) ?? .interactive, total: try reader.u64("total"),
            ended: try reader.u64("ended"))
    }
}

extension MessageUpdateRequest {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        let app = try reader.app()
        let id = MessageID(rawValue: try reader.u64("message_id"))
        let number = try reader.u8("action")
        let action = MessageUpdateAction(rawValue: number)
        if action == nil { reader.note("action", "action \(number) is not known") }
        var pace: UInt32?
        try reader.finish { reader, tag, value throws(WireFault) in
            guard tag == 37 else { return try common.read(tag, value, reader) }
            pace = try reader.pace(value)
            if action != .pace { reader.note("pace", "action \(number) has no pace") }
            return true
        }
        self.init(app: app, id: id, messageUpdate: (action ?? .cancel).messageUpdate(pace: pace))
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u8(MessageUpdateAction(messageUpdate).rawValue)
        writer.tags(common.fields + [FrameWriter.field(37, pace)])
    }

    private var pace: UInt32? {
        if case .pace(let pace) = messageUpdate { pace } else { nil }
    }
}

extension MessageResend {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            id: MessageID(rawValue: try reader.u64("message_id")),
            key: try reader.uuid("key"),
            outcomes: try reader.items("outcomes", 0...WireLimits.outcomes, elementBytes: 1) {
                reader throws(WireFault) in
                let outcome = Outcome(rawValue: try reader.u8("outcomes"))
                if outcome == .pending || outcome == .delivered {
                    reader.note("outcomes", "\(outcome.name) is nothing to send again for")
                }
                return outcome
            }
        )
        var notAfter: Timestamp?
        try reader.finish { reader, tag, value throws(WireFault) in
            guard tag == 21 else { return try common.read(tag, value, reader) }
            notAfter = Timestamp(milliseconds: try reader.whole(UInt64.self, of: value, "not_after"))
            return true
        }
        self.notAfter = notAfter
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.uuid(key)
        writer.list(outcomes) { $0.u8($1.rawValue) }
        writer.tags(common.fields + [FrameWriter.field(21, notAfter?.milliseconds)])
    }
}
