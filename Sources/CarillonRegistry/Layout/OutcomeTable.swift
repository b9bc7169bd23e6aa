import CarillonCore
import CarillonLMDB

/// `outcomes`: message id `u64`, page `u32` → one byte for each recipient of the page, by position; 0 is pending.
/// The one record without a version: its bytes are those of Protocol 10.5.
struct OutcomeTable {
    let database: Database

    /// The outcomes of a page, by position.
    func get(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ message: MessageID,
        page: UInt32
    ) throws -> [UInt8]? {
        try MessageKey.with(message, page: page) { key in try transaction.get(database, key) }
    }

    /// Stores a page.
    func put(
        _ transaction: inout WriteTransaction,
        _ message: MessageID,
        page: UInt32,
        _ outcomes: borrowing Span<UInt8>
    ) throws {
        try MessageKey.with(message, page: page) { key in try transaction.put(database, key, outcomes) }
    }

    /// Removes a page.
    func delete(_ transaction: inout WriteTransaction, _ message: MessageID, page: UInt32) throws {
        _ = try MessageKey.with(message, page: page) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with every page of every message.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (MessageID, UInt32) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, _ in
            let (message, page) = try MessageKey.page(key, of: "outcomes")
            try body(message, page)
            return .goOn
        }
    }
}
