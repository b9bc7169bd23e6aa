import CarillonCore
import CarillonLMDB

/// The table of the outcomes of recipients, page by page.
///
/// `outcomes`: message id `u64`, page `u32` → the outcomes of a page, each the number of Protocol 16.5; 0 is pending.
///
/// - A page of a list: one byte for each recipient, by position. There is no form and no version before them.
/// - A page of a live audience in which outcomes differ: form `u8` 1, number of recipients `u16`, one byte for each
///   recipient by offset, and the recipients as in `postings`.
/// - A page of a live audience in which all outcomes are the same: form `u8` 2, one byte for all, and the recipients as
///   in `postings`.
///
/// The message's row in `progress` says whether its pages are those of a list.
struct OutcomeTable {
    let database: Database

    private enum Form: UInt8 {
        case each = 1
        case same = 2
    }

    /// Returns the outcomes of a page of a list, by position.
    func get(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [UInt8]? {
        try MessageKey.with(message, page: page) { key in try transaction.get(key, in: database) }
    }

    func put(
        _ outcomes: borrowing Span<UInt8>, for message: MessageID, page: UInt32, in transaction: inout WriteTransaction
    ) throws {
        try MessageKey.with(message, page: page) { key in try transaction.put(outcomes, for: key, in: database) }
    }

    /// Returns a page of a live audience; nil if the page is not fixed.
    func getLive(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> LiveOutcomes? {
        try MessageKey.with(message, page: page) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(
        _ outcomes: LiveOutcomes, for message: MessageID, page: UInt32, in transaction: inout WriteTransaction
    ) throws {
        try MessageKey.with(message, page: page) { key in
            try ByteWriter.withBytes(
                capacity: 3 + ChunkBits.width + PostingTable.maximumBytes,
                { Self.encode(outcomes, into: &$0) },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Returns the first page of a message from `page` on that is stored; nil if no page follows.
    func nextPage(
        _ message: MessageID, from page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> UInt32? {
        var found: UInt32?
        try MessageKey.with(message, page: page) { from in
            _ = try transaction.forEach(in: database, from: from, limit: 1) { key, _ in
                let rowKey = try MessageKey.page(key, of: "outcomes")
                if rowKey.message == message { found = rowKey.page }
                return .stop
            }
        }
        return found
    }

    /// Calls `body` with the pages of a live audience from `page` on, ascending.
    func forEachLive(
        _ message: MessageID,
        from page: UInt32 = 0,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (UInt32, LiveOutcomes) throws -> IterationStep
    ) throws {
        try MessageKey.with(message, page: page) { from in
            _ = try transaction.forEach(in: database, from: from) { key, value in
                let rowKey = try MessageKey.page(key, of: "outcomes")
                guard rowKey.message == message else { return .stop }
                return try body(rowKey.page, try Self.decode(value))
            }
        }
    }

    /// Removes a page; returns false if there is no such page.
    @discardableResult
    func delete(_ message: MessageID, page: UInt32, in transaction: inout WriteTransaction) throws -> Bool {
        try MessageKey.with(message, page: page) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, UInt32) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let (message, page) = try MessageKey.page(key, of: "outcomes")
            try body(message, page)
            return .proceed
        }
    }

    private static func encode(_ outcomes: LiveOutcomes, into writer: inout ByteWriter) {
        let count = outcomes.addressed.count
        if let common = outcomes.common {
            writer.append(Form.same.rawValue)
            writer.append(common)
        } else {
            writer.append(Form.each.rawValue)
            writer.append(UInt16(count))
            outcomes.byOffset.withUnsafeBufferPointer { bytes in
                outcomes.addressed.forEachRun { writer.append(contentsOf: bytes[$0]) }
            }
        }
        PostingTable.append(outcomes.addressed, count: count, to: &writer)
    }

    private static func decode(_ value: Span<UInt8>) throws -> LiveOutcomes {
        try ByteReader.read(value, of: "outcomes") { reader in
            var addressed = ChunkBits()
            var byOffset = [UInt8](repeating: Outcome.pending.rawValue, count: ChunkBits.width)
            switch try reader.value(Form.self) {
            case .each:
                let outcomes = try reader.take(Int(try reader.number(UInt16.self)))
                try PostingTable.read(&reader, into: &addressed)
                guard addressed.count == outcomes.count else { throw reader.corrupted("not one for each") }
                byOffset.withUnsafeMutableBufferPointer { bytes in
                    var next = 0
                    addressed.forEachRun { run in
                        _ = bytes[run].update(fromContentsOf: outcomes[next..<next + run.count])
                        next += run.count
                    }
                }
            case .same:
                let outcome: UInt8 = try reader.number()
                try PostingTable.read(&reader, into: &addressed)
                byOffset.withUnsafeMutableBufferPointer { bytes in
                    addressed.forEachRun { bytes[$0].update(repeating: outcome) }
                }
            }
            return LiveOutcomes(addressed: addressed, byOffset: byOffset)
        }
    }
}
