import CarillonCore
import CarillonLMDB

/// The table of the recipients of messages, page by page.
///
/// `recipients`: message id `u64`, page `u32` → version `u8`, count `u16`, then the device ids. Each id is written as
/// its difference to the id before, a varint. The ids ascend: first a 0 for each token that was not registered, then
/// each device id once.
struct RecipientTable {
    let database: Database

    private static let version: UInt8 = 1
    /// The bytes before the ids: version and count.
    private static let headBytes = 3

    /// Returns the device ids of a page, by position.
    func get(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [UInt64]? {
        try MessageKey.with(message, page: page) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    /// Returns the first device id of a page, without reading the rest of it; nil if there is no such page.
    func first(
        _ message: MessageID, page: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> UInt64? {
        try MessageKey.with(message, page: page) { key in
            try transaction.get(key, in: database) { value in
                try ByteReader.read(value, of: "recipients") { reader in
                    try reader.version(Self.version)
                    _ = try reader.number(UInt16.self)
                    let first = try reader.varint()
                    _ = try reader.take(reader.remaining)
                    return first
                }
            }
        }
    }

    func put(
        _ ids: ArraySlice<UInt64>, for message: MessageID, page: UInt32, in transaction: inout WriteTransaction
    ) throws {
        precondition(ids.count <= RegistryLimits.recipientsPerPage)
        try MessageKey.with(message, page: page) { key in
            let capacity = Self.headBytes + ByteWriter.maximumVarintBytes * ids.count
            try ByteWriter.withBytes(capacity: capacity, { Self.encode(ids, into: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    /// Removes a page; returns false if there is no such page.
    func delete(_ message: MessageID, page: UInt32, in transaction: inout WriteTransaction) throws -> Bool {
        try MessageKey.with(message, page: page) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, UInt32, [UInt64]) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (message, page) = try MessageKey.page(key, of: "recipients")
            try body(message, page, try Self.decode(value))
            return .proceed
        }
    }

    private static func encode(_ ids: ArraySlice<UInt64>, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append(UInt16(ids.count))
        var previous: UInt64 = 0
        for id in ids {
            writer.append(varint: id - previous)
            previous = id
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> [UInt64] {
        try ByteReader.read(value, of: "recipients") { reader in
            try reader.version(version)
            let count = Int(try reader.number(UInt16.self))
            guard count <= RegistryLimits.recipientsPerPage else { throw reader.corrupted("too many") }
            var ids: [UInt64] = []
            ids.reserveCapacity(count)
            var previous: UInt64 = 0
            for _ in 0..<count {
                let step = try reader.varint()
                guard step > 0 || previous == 0 else { throw reader.corrupted("one device twice") }
                let (id, overflows) = previous.addingReportingOverflow(step)
                guard !overflows else { throw reader.corrupted("an invalid device id") }
                ids.append(id)
                previous = id
            }
            return ids
        }
    }
}
