import CarillonCore
import CarillonLMDB

/// The table of the devices in quarantine.
///
/// `quarantine`: app `u32`, device id `u64` → version `u8`, since `u64`.
struct QuarantineTable {
    let database: Database

    private var rows: DeviceRows { DeviceRows(of: database, named: "quarantine") }

    private static let version: UInt8 = 1

    static func prefix(_ app: AppNumber) -> [UInt8] {
        ByteWriter.bytes(capacity: AppNumber.byteCount) { $0.append(app) }
    }

    /// Returns the time since which a device is quarantined; nil if it is not quarantined.
    func get(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Timestamp? {
        try DeviceKey.with(app: app, id) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(_ since: Timestamp, for id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try DeviceKey.with(app: app, id) { key in
            try ByteWriter.withBytes(
                capacity: 1 + UInt64.byteCount,
                {
                    $0.append(Self.version)
                    $0.append(since)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try DeviceKey.with(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with the quarantined devices of an app from `id` on, ascending.
    func forEach(
        app: AppNumber,
        from id: DeviceID,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceID) throws -> IterationStep
    ) throws {
        try rows.forEach(app: app, from: id, in: transaction) { id, _ in
            try body(id)
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, DeviceID, Timestamp) throws -> Void
    ) throws {
        try rows.forEach(in: transaction) { app, id, value in
            try body(app, id, try Self.decode(value))
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> Timestamp {
        try ByteReader.read(value, of: "quarantine") { reader in
            try reader.version(version)
            return try reader.time()
        }
    }
}
