import CarillonCore
import CarillonLMDB

/// The table of the times of silent pushes.
///
/// `silent`: app `u32`, device id `u64` → version `u8`, then the times at which the provider accepted the last silent
/// pushes to the device, `u64` each, ascending. There is at least one time, and no more than the silent-push budget
/// allowed when the last was written.
struct SilentPushTable {
    let database: Database

    private static let version: UInt8 = 1

    /// Returns the times at which the last silent pushes of a device were accepted, ascending; none if there is no row.
    func get(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [Timestamp] {
        try DeviceKey.with(app: app, id) { key in try transaction.get(key, in: database, Self.decode) } ?? []
    }

    /// Stores the times of a device, at least one, ascending.
    func put(_ times: [Timestamp], for id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try DeviceKey.with(app: app, id) { key in
            try ByteWriter.withBytes(
                capacity: 1 + 8 * times.count,
                {
                    $0.append(Self.version)
                    for time in times { $0.append(time) }
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try DeviceKey.with(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with at most `limit` devices, after `device`; returns their number. Without
    /// `onUnreadable` a row that cannot be read is an error.
    func forEach(
        after device: (app: AppNumber, id: DeviceID)? = nil,
        limit: Int = .max,
        in transaction: borrowing some Transaction & ~Copyable,
        onUnreadable: RowFault? = nil,
        _ body: (AppNumber, DeviceID, [Timestamp]) throws -> Void
    ) throws -> Int {
        let (app, id) = device.map { ($0.app, $0.id.rawValue + 1) } ?? (0, 0)
        return try DeviceKey.with(app: app, DeviceID(rawValue: id)) { from in
            try transaction.forEach(in: database, from: from, limit: limit) { key, value in
                let row = try readRow(key, onUnreadable: onUnreadable) { try Self.decode(key, value) }
                if let row { try body(row.app, row.id, row.times) }
                return .proceed
            }
        }
    }

    private static func decode(
        _ key: Span<UInt8>, _ value: Span<UInt8>
    ) throws -> (app: AppNumber, id: DeviceID, times: [Timestamp]) {
        let (app, id) = try DeviceKey.read(key, of: "silent")
        guard id.rawValue < AppTable.deviceBound else { throw RegistryError.corrupted("silent: an invalid device id") }
        return (app, id, try decode(value))
    }

    private static func decode(_ value: Span<UInt8>) throws -> [Timestamp] {
        try ByteReader.read(value, of: "silent") { reader in
            try reader.version(version)
            var times: [Timestamp] = []
            repeat {
                let time = try reader.time()
                guard times.last.map({ $0 <= time }) ?? true else { throw reader.corrupted("times out of order") }
                times.append(time)
            } while reader.remaining > 0
            return times
        }
    }
}
