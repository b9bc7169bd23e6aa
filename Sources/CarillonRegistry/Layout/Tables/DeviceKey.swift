import CarillonCore
import CarillonLMDB

/// The key of all tables that are keyed by a device: app `u32`, device id `u64`.
enum DeviceKey {
    @inline(__always)
    static func with<R>(app: AppNumber, _ id: DeviceID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    /// Reads a key.
    @inline(__always)
    static func read(_ key: Span<UInt8>, of table: StaticString) throws -> (app: AppNumber, id: DeviceID) {
        try ByteReader.read(key, of: table) { (try $0.number(), DeviceID(rawValue: try $0.number())) }
    }

    /// Calls `body` with every row of every app.
    static func forEach(
        of database: Database,
        named table: StaticString,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceID, Span<UInt8>) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, id) = try read(key, of: table)
            try body(app, id, value)
            return .proceed
        }
    }

    /// Calls `body` with the rows of an app from `id` on, ascending.
    static func forEach(
        app: AppNumber,
        from id: DeviceID,
        of database: Database,
        named table: StaticString,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceID, Span<UInt8>) throws -> Iteration
    ) throws {
        try with(app: app, id) { from in
            _ = try transaction.forEach(in: database, from: from) { key, value in
                let place = try read(key, of: table)
                return place.app == app ? try body(place.id, value) : .stop
            }
        }
    }

    /// The least number of devices of a chunk at which a scan of all rows of the chunk is faster than lookups.
    private static let scanCount = 512

    /// Calls `body` with the rows of those devices of a chunk that have one, ascending.
    static func forEach(
        app: AppNumber,
        chunk: ChunkNumber,
        bits: ChunkBits,
        of database: Database,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (UInt16, Span<UInt8>) throws -> Void
    ) throws {
        guard bits.count >= scanCount else {
            for offset in bits {
                try with(app: app, DeviceID(chunk: chunk, offset: offset)) { key in
                    _ = try transaction.get(key, in: database) { try body(offset, $0) }
                }
            }
            return
        }
        let last = DeviceID(chunk: chunk, offset: 0xFFF)
        try with(app: app, DeviceID(chunk: chunk, offset: 0)) { first in
            try with(app: app, DeviceID(rawValue: last.rawValue + 1)) { end in
                _ = try transaction.forEach(in: database, from: first, upTo: end) { key, value in
                    let offset = try read(key, of: "devices").id.offset
                    if bits.contains(offset) { try body(offset, value) }
                    return .proceed
                }
            }
        }
    }
}
