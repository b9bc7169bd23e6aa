import CarillonCore
import CarillonLMDB

/// `origins`: message id `u64` → version `u8`; sender, then label, each after a `u8` length, empty for none.
///
/// A message has no row if neither is known, as those that were accepted before there was this table. Retention removes
/// the row with its message.
struct OriginTable {
    /// Nil in a database that was made before there was this table and is only read.
    let database: Database?

    private static let version: UInt8 = 1

    /// The origin of a message; an empty one if there is no row.
    func get(_ id: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> MessageOrigin {
        guard let database else { return MessageOrigin() }
        return try MessageKey.with(id) { key in try transaction.get(key, in: database, Self.decode) } ?? MessageOrigin()
    }

    /// Stores the origin of a message, unless it is empty.
    func put(_ origin: MessageOrigin, for id: MessageID, in transaction: inout WriteTransaction) throws {
        guard let database, origin != MessageOrigin() else { return }
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: 3 + (origin.sender?.utf8.count ?? 0) + (origin.label?.utf8.count ?? 0),
                {
                    $0.append(Self.version)
                    $0.append(text: origin.sender)
                    $0.append(text: origin.label)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Removes the origin of a message.
    func delete(_ id: MessageID, in transaction: inout WriteTransaction) throws {
        guard let database else { return }
        _ = try MessageKey.with(id) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with the row of every message that has one.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, MessageOrigin) throws -> Void
    ) throws {
        guard let database else { return }
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "origins"), try Self.decode(value))
            return .proceed
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> MessageOrigin {
        try ByteReader.read(value, of: "origins") { reader in
            try reader.version(version)
            return MessageOrigin(sender: try reader.text(), label: try reader.text())
        }
    }
}
