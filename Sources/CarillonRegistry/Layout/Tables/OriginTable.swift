import CarillonCore
import CarillonLMDB

/// `origins`: message id `u64` → version `u8`; sender, then label, each after a `u8` length, empty for none. In version
/// 2 the trace parent follows in the same way; a row without one has version 1.
///
/// A message has no row if neither is known, as those that were accepted before there was this table. Retention removes
/// the row with its message.
struct OriginTable {
    /// Nil in a database that was made before there was this table and is only read.
    let database: Database?

    private static let version: UInt8 = 1
    private static let traceVersion: UInt8 = 2

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
                capacity: 4 + (origin.sender?.utf8.count ?? 0) + (origin.label?.utf8.count ?? 0)
                    + TraceParent.byteCount,
                {
                    $0.append(origin.traceParent == nil ? Self.version : Self.traceVersion)
                    $0.append(text: origin.sender)
                    $0.append(text: origin.label)
                    if let trace = origin.traceParent { $0.append(text: trace.description) }
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
            let version = try reader.version(upTo: traceVersion)
            var origin = MessageOrigin(sender: try reader.text(), label: try reader.text())
            guard version == traceVersion else { return origin }
            guard let trace = try reader.text().flatMap({ TraceParent(exactly: $0) }) else {
                throw reader.corrupted("a trace parent")
            }
            origin.traceParent = trace
            return origin
        }
    }
}
