import CarillonCore
import CarillonLMDB

/// The next attempt at a recipient that waits for its time.
struct DelayRecord: Hashable {
    /// The number of attempts that were made and counted.
    var attempts: UInt8
    var dueAt: Timestamp
}

/// The table of the recipients that wait for their next attempt.
///
/// `delays`: message id `u64`, page `u32`, position `u16` → version `u8`, attempts `u8`, due at `u64`. Only pending
/// recipients have a row.
struct DelayTable {
    let database: Database

    private static let version: UInt8 = 1

    /// Returns the delays of a page, by position.
    func page(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [UInt16: DelayRecord] {
        var delays: [UInt16: DelayRecord] = [:]
        try MessageKey.with(message, page: page) { prefix in
            _ = try transaction.forEach(in: database, prefix: prefix) { key, value in
                delays[try RecipientKey(key: key, of: "delays").position] = try Self.decode(value)
                return .proceed
            }
        }
        return delays
    }

    func get(
        _ recipient: RecipientKey, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DelayRecord? {
        try recipient.withBytes { key in try transaction.get(key, in: database, Self.decode) }
    }

    /// Returns the number of recipients of a message that wait.
    func count(_ message: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try MessageKey.with(message) { prefix in
            UInt64(try transaction.forEach(in: database, prefix: prefix) { _, _ in .proceed })
        }
    }

    /// Returns true if a recipient of a page waits.
    func contains(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try MessageKey.with(message, page: page) { prefix in
            try transaction.forEach(in: database, prefix: prefix, limit: 1) { _, _ in .stop } > 0
        }
    }

    func put(_ record: DelayRecord, for recipient: RecipientKey, in transaction: inout WriteTransaction) throws {
        try recipient.withBytes { key in
            try ByteWriter.withBytes(
                capacity: 10,
                {
                    $0.append(Self.version)
                    $0.append(record.attempts)
                    $0.append(record.dueAt)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ recipient: RecipientKey, in transaction: inout WriteTransaction) throws {
        _ = try recipient.withBytes { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (RecipientKey) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let recipient = try RecipientKey(key: key, of: "delays")
            _ = try Self.decode(value)
            try body(recipient)
            return .proceed
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> DelayRecord {
        try ByteReader.read(value, of: "delays") { reader in
            try reader.version(version)
            return DelayRecord(attempts: try reader.number(), dueAt: try reader.time())
        }
    }
}
