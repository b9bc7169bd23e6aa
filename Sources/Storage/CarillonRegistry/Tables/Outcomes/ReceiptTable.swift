import CarillonCore
import CarillonLMDB

/// The table of the devices that have sent receipts.
///
/// `receipts`: message id `u64`, kind `u8`, chunk `u32` → the devices of the chunk with a receipt of that kind, as in
/// `postings`. Never empty.
struct ReceiptTable {
    let database: Database

    /// The key of a row: a chunk of the receipts of a kind.
    struct RowKey: Hashable, Comparable {
        var message: MessageID
        var kind: ReceiptKind
        var chunk: ChunkNumber

        static func < (left: RowKey, right: RowKey) -> Bool {
            (left.message, left.kind.rawValue, left.chunk) < (right.message, right.kind.rawValue, right.chunk)
        }
    }

    /// Returns the devices of a chunk with a receipt; none if there is no row.
    func get(_ rowKey: RowKey, in transaction: borrowing some Transaction & ~Copyable) throws -> ChunkBits {
        try withKey(rowKey) { key in try transaction.get(key, in: database, Self.decode) } ?? ChunkBits()
    }

    /// Stores the devices of a chunk, at least one.
    func put(_ bits: ChunkBits, for rowKey: RowKey, in transaction: inout WriteTransaction) throws {
        try withKey(rowKey) { key in
            try ByteWriter.withBytes(
                capacity: PostingTable.maximumBytes,
                { PostingTable.append(bits, count: bits.count, to: &$0) },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ rowKey: RowKey, in transaction: inout WriteTransaction) throws {
        _ = try withKey(rowKey) { key in try transaction.delete(key, in: database) }
    }

    /// Returns the first row of a message; nil if it has no receipts.
    func first(_ message: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> RowKey? {
        var found: RowKey?
        try MessageKey.with(message) { prefix in
            _ = try transaction.forEach(in: database, prefix: prefix, limit: 1) { key, _ in
                found = try Self.readKey(key)
                return .stop
            }
        }
        return found
    }

    /// Calls `body` with the chunks of a message and kind from the chunk of `rowKey` on, ascending.
    func forEach(
        from rowKey: RowKey,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (ChunkNumber, ChunkBits) throws -> IterationStep
    ) throws {
        try withKey(rowKey) { from in
            _ = try transaction.forEach(in: database, from: from) { key, value in
                let found = try Self.readKey(key)
                guard found.message == rowKey.message, found.kind == rowKey.kind else { return .stop }
                return try body(found.chunk, try Self.decode(value))
            }
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (RowKey, ChunkBits) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try Self.readKey(key), try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(_ rowKey: RowKey, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: UInt64.byteCount + 1 + ChunkNumber.byteCount,
            {
                $0.append(rowKey.message.rawValue)
                $0.append(rowKey.kind.rawValue)
                $0.append(rowKey.chunk)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> RowKey {
        try ByteReader.read(key, of: "receipts") {
            RowKey(message: MessageID(rawValue: try $0.number()), kind: try $0.value(), chunk: try $0.number())
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> ChunkBits {
        try ByteReader.read(value, of: "receipts") { reader in
            var bits = ChunkBits()
            try PostingTable.read(&reader, into: &bits)
            return bits
        }
    }
}
