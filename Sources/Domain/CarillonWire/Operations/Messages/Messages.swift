package import CarillonCore

/// The request MESSAGES (Protocol 10.5).
package struct MessagesRequest: LongReadOperation, PagedOperation {
    package typealias Answer = MessagesAnswer

    package static let opcode = Opcode.messages

    package var app: AppID
    /// The message before which the page begins, as the last page gave it; 0 = from the newest.
    package var before: UInt64
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32
    package var filter: MessageFilter

    package init(app: AppID, before: UInt64 = 0, limit: UInt32, filter: MessageFilter = MessageFilter()) {
        self.app = app
        self.before = before
        self.limit = limit
        self.filter = filter
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<MessagesAnswer, RequestError> {
        let before = before == 0 ? nil : MessageID(rawValue: before)
        let page = try registry.messages(of: app, before: before, limit: Int(limit), filter: filter)
        return .success(MessagesAnswer(next: page.next?.rawValue ?? 0, messages: page.rows))
    }
}

/// A page of the messages of an app (Protocol 10.5).
package struct MessagesAnswer: Hashable, Sendable {
    /// The value of `before` for the next page; 0 = this was the last.
    package var next: UInt64
    /// The messages, the newest first.
    package var messages: [MessageSummary]

    package init(next: UInt64, messages: [MessageSummary]) {
        self.next = next
        self.messages = messages
    }
}

extension Opcode {
    package static let messages = Opcode(rawValue: 0x0053)
}

// MARK: Codec (Protocol 10.5)

extension MessagesRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), before: try reader.u64("before"), limit: try reader.pageLimit())
        var filter = MessageFilter()
        try reader.finish { reader, tag, value throws(WireError) in
            switch tag {
            case 17: filter.state = try reader.knownMessageState(value)
            case 19: filter.sender = try reader.text(value, field: "sender", limits: 1...Principal.maximumNameBytes)
            case 21: filter.labelPrefix = try reader.label(value)
            default: return try common.read(tag, value: value, with: reader)
            }
            return true
        }
        self.filter = filter
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(before)
        writer.u32(limit)
        writer.tags(
            common.fields + [
                FrameWriter.field(17, filter.state?.rawValue), FrameWriter.field(19, filter.sender),
                FrameWriter.field(21, filter.labelPrefix),
            ])
    }
}

extension MessagesAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(next: try reader.u64("next"), messages: [])
        var messages: [MessageSummary] = []
        try reader.list("messages", elementBytes: MessageSummary.byteCount) { reader, _ throws(WireError) in
            messages.append(try MessageSummary(from: &reader))
        }
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            guard tag == 16 else { return false }
            try reader.details(value, of: &messages)
            return true
        }
        self.messages = messages
    }

    package func write(to writer: inout FrameWriter) {
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
        // All or none: the list is as long as `messages`.
        guard messages.allSatisfy({ $0.delivered != nil && $0.failed != nil }) else { return }
        writer.tags([
            FrameWriter.field(16, list: messages) { writer, row in
                writer.u64(row.delivered ?? 0)
                writer.u64(row.failed ?? 0)
                writer.string(row.label ?? "")
                writer.string(row.sender ?? "")
            }
        ])
    }
}

extension PayloadReader {
    fileprivate mutating func details(
        _ value: UnsafeRawBufferPointer, of messages: inout [MessageSummary]
    ) throws(WireError) {
        var rows = messages
        let count = try parse(value, as: "details") { reader throws(WireError) in
            var count = 0
            try reader.list("details", elementBytes: 8 + 8 + 2 + 2) { reader, index throws(WireError) in
                let delivered = try reader.u64("delivered")
                let failed = try reader.u64("failed")
                let label = try reader.string("label")
                let sender = try reader.string("sender")
                count = index + 1
                guard rows.indices.contains(index) else { return }
                (rows[index].delivered, rows[index].failed) = (delivered, failed)
                rows[index].label = label.isEmpty ? nil : label
                rows[index].sender = sender.isEmpty ? nil : sender
            }
            return count
        }
        guard count == rows.count else {
            return recordInvalid("details", because: "\(count) details of \(rows.count) messages")
        }
        messages = rows
    }
}

extension MessageSummary {
    /// The number of bytes of a row, without its details.
    static let byteCount = 8 + 1 + 8 + 1 + 1 + 8 + 8
    /// The most bytes of a row and its details.
    static let maximumBytes = byteCount + 16 + 2 + Message.maximumLabelBytes + 2 + Principal.maximumNameBytes

    init(from reader: inout PayloadReader) throws(WireError) {
        let id = try reader.messageID()
        let state = try reader.messageState()
        let acceptedAt = try reader.time("accepted_at")
        let type = try reader.u8("push_type")
        if PushType(rawValue: type) == nil {
            reader.recordInvalid("push_type", because: "push type \(type) is not known")
        }
        let lane = try reader.u8("lane")
        if Lane(rawValue: lane) == nil { reader.recordInvalid("lane", because: "lane \(lane) is not known") }
        self.init(
            id: id, state: state, acceptedAt: acceptedAt, pushType: PushType(rawValue: type) ?? .alert,
            lane: Lane(rawValue: lane) ?? .interactive, total: try reader.u64("total"), ended: try reader.u64("ended"))
    }
}
