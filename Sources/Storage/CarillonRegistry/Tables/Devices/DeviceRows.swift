import CarillonCore
import CarillonLMDB

/// The rows of a table that is keyed by a device.
struct DeviceRows {
    private let database: Database
    private let table: StaticString

    init(of database: Database, named table: StaticString) {
        self.database = database
        self.table = table
    }

    /// Calls `body` with every row of every app.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceID, Span<UInt8>) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, id) = try DeviceKey.read(key, of: table)
            try body(app, id, value)
            return .proceed
        }
    }

    /// Calls `body` with the rows of an app from `id` on, ascending.
    func forEach(
        app: AppNumber,
        from id: DeviceID,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceID, Span<UInt8>) throws -> IterationStep
    ) throws {
        try DeviceKey.with(app: app, id) { from in
            _ = try transaction.forEach(in: database, from: from) { key, value in
                let deviceKey = try DeviceKey.read(key, of: table)
                return deviceKey.app == app ? try body(deviceKey.id, value) : .stop
            }
        }
    }

    /// The smallest number of devices of a chunk at which a scan of all rows of the chunk is faster than lookups.
    private static let minimumScannedDevices = 512

    /// Calls `body` with the rows of those devices of a chunk that have one, ascending.
    func forEach(
        app: AppNumber,
        chunk: ChunkNumber,
        bits: ChunkBits,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (UInt16, Span<UInt8>) throws -> Void
    ) throws {
        guard bits.count >= Self.minimumScannedDevices else {
            for offset in bits {
                try DeviceKey.with(app: app, DeviceID(chunk: chunk, offset: offset)) { key in
                    _ = try transaction.get(key, in: database) { try body(offset, $0) }
                }
            }
            return
        }
        let last = DeviceID(chunk: chunk, offset: 0xFFF)
        try DeviceKey.with(app: app, DeviceID(chunk: chunk, offset: 0)) { first in
            try DeviceKey.with(app: app, DeviceID(rawValue: last.rawValue + 1)) { end in
                _ = try transaction.forEach(in: database, from: first, upTo: end) { key, value in
                    let offset = try DeviceKey.read(key, of: table).id.offset
                    if bits.contains(offset) { try body(offset, value) }
                    return .proceed
                }
            }
        }
    }
}

/// The key of all tables that are keyed by a device: app `u32`, device id `u64`.
enum DeviceKey {
    @inline(__always)
    static func with<R>(app: AppNumber, _ id: DeviceID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: AppNumber.byteCount + UInt64.byteCount,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    @inline(__always)
    static func read(_ key: Span<UInt8>, of table: StaticString) throws -> (app: AppNumber, id: DeviceID) {
        try ByteReader.read(key, of: table) { (try $0.number(), DeviceID(rawValue: try $0.number())) }
    }
}
