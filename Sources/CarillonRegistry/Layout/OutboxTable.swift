import CarillonCore
import CarillonLMDB

/// `outbox`: message id `u64` → nothing. Exactly the messages that have recipients pending.
struct OutboxTable {
    let database: Database

    /// Adds a message.
    func insert(_ transaction: inout WriteTransaction, _ id: MessageID) throws {
        try MessageKey.with(id) { key in try transaction.put(database, key, [UInt8]().span) }
    }

    /// Removes a message that has finished.
    func delete(_ transaction: inout WriteTransaction, _ id: MessageID) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(database, key) }
    }

    /// Whether the message is unfinished.
    func contains(_ transaction: borrowing some Transaction & ~Copyable, _ id: MessageID) throws -> Bool {
        try MessageKey.with(id) { key in try transaction.contains(database, key) }
    }

    /// At most `limit` messages after `id`, ascending.
    func messages(
        _ transaction: borrowing some Transaction & ~Copyable,
        after id: MessageID?,
        limit: Int
    ) throws -> [MessageID] {
        guard limit > 0, id?.rawValue != .max else { return [] }
        var found: [MessageID] = []
        try MessageKey.with(MessageID(rawValue: id.map { $0.rawValue + 1 } ?? 0)) { from in
            _ = try transaction.forEach(database, from: from, limit: limit) { key, _ in
                found.append(try MessageKey.message(key, of: "outbox"))
                return .goOn
            }
        }
        return found
    }
}
