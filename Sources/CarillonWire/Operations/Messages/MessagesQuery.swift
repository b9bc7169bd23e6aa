package import CarillonCore

extension Opcode {
    package static let messages = Opcode(rawValue: 0x0053)
}

/// MESSAGES (Protocol 8.5).
package struct MessagesQuery: ListingOperation, PagedOperation {
    package typealias Answer = MessagePage

    package static let opcode = Opcode.messages

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

    package func read(from registry: any Registry) throws(RegistryError) -> Result<MessagePage, ErrorReply> {
        let before = before == 0 ? nil : MessageID(rawValue: before)
        let rows = try registry.messages(of: app, before: before, limit: Int(limit))
        return .success(MessagePage(next: rows.count < Int(limit) ? 0 : rows.last?.id.rawValue ?? 0, messages: rows))
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

// MARK: Codec (Protocol 8.5)

extension MessagesQuery {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), before: try reader.u64("before"), limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(before)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension MessagePage: PayloadAnswer {
    package init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.u64("next"), messages: [])
        var messages: [MessageSummary] = []
        try reader.list("messages", elementBytes: MessageSummary.byteCount) { reader, _ throws(WireFault) in
            messages.append(try MessageSummary(&reader))
        }
        self.messages = messages
        try reader.finishAnswer()
    }

    package func write(_ writer: inout FrameWriter) {
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
        let id = try reader.messageID()
        let state = try reader.messageState()
        let acceptedAt = try reader.time("accepted_at")
        let type = try reader.u8("push_type")
        if PushType(rawValue: type) == nil { reader.recordInvalid("push_type", "push type \(type) is not known") }
        let lane = try reader.u8("lane")
        if Lane(rawValue: lane) == nil { reader.recordInvalid("lane", "lane \(lane) is not known") }
        self.init(
            id: id, state: state, acceptedAt: acceptedAt, pushType: PushType(rawValue: type) ?? .alert,
            lane: Lane(rawValue: lane) ?? .interactive, total: try reader.u64("total"),
            ended: try reader.u64("ended"))
    }
}
