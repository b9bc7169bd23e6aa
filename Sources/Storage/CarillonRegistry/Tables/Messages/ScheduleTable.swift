import CarillonCore
import CarillonLMDB

/// The table of the scheduled messages.
///
/// `schedule`: due at `u64`, message id `u64` → empty.
struct ScheduleTable {
    let database: Database

    func insert(_ id: MessageID, due: Timestamp, in transaction: inout WriteTransaction) throws {
        try withKey(due: due, id) { key in try transaction.put([UInt8]().span, for: key, in: database) }
    }

    func delete(_ id: MessageID, due: Timestamp, in transaction: inout WriteTransaction) throws {
        _ = try withKey(due: due, id) { key in try transaction.delete(key, in: database) }
    }

    func contains(
        _ id: MessageID, due: Timestamp, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try withKey(due: due, id) { key in try transaction.contains(key, in: database) }
    }

    /// Returns the message that is due first among the ones for which `predicate` is true; nil if no such message is
    /// scheduled.
    func first(
        in transaction: borrowing some Transaction & ~Copyable, where predicate: (MessageID) -> Bool = { _ in true }
    ) throws -> (due: Timestamp, id: MessageID)? {
        try transaction.withCursor(in: database) { cursor in
            var isFound = try cursor.moveToFirst()
            while isFound {
                guard let first = try cursor.withCurrent({ key, _ in try Self.readKey(key) }) else { return nil }
                if predicate(first.id) { return first }
                isFound = try cursor.moveToNext()
            }
            return nil
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (Timestamp, MessageID) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let (due, id) = try Self.readKey(key)
            try body(due, id)
            return .proceed
        }
    }

    private func withKey<R>(due: Timestamp, _ id: MessageID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 2 * UInt64.byteCount,
            {
                $0.append(due)
                $0.append(id.rawValue)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> (due: Timestamp, id: MessageID) {
        try ByteReader.read(key, of: "schedule") { (try $0.time(), MessageID(rawValue: try $0.number())) }
    }
}
