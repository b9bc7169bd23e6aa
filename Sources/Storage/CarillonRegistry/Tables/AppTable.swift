import CarillonCore
import CarillonLMDB

/// The record of an app: its number, and the next ids and numbers to give within the app.
struct AppRecord: Hashable {
    /// The number of the app in keys; from 1, never given twice.
    var number: AppNumber
    /// The id that the next device gets; from 1.
    var nextDevice: UInt64
    /// The number that the next set gets; from 1.
    var nextSet: SetNumber
}

/// The table of the apps: their numbers, and the next ids and numbers to give within each.
///
/// `apps`: name → version `u8`, number `u32`, next device id `u64`, next set `u32`.
struct AppTable {
    let database: Database

    private static let version: UInt8 = 1
    /// The bound of device ids: they are less than this, so that the number of a chunk has 32 bits; Protocol 7 promises
    /// less than 2⁵².
    static let deviceBound: UInt64 = 1 << 44

    func get(_ app: AppID, in transaction: borrowing some Transaction & ~Copyable) throws -> AppRecord? {
        try withKey(app) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    func put(_ record: AppRecord, for app: AppID, in transaction: inout WriteTransaction) throws {
        try withKey(app) { key in
            try ByteWriter.withBytes(
                capacity: 1 + AppNumber.byteCount + UInt64.byteCount + SetNumber.byteCount,
                {
                    $0.append(Self.version)
                    $0.append(record.number)
                    $0.append(record.nextDevice)
                    $0.append(record.nextSet)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Calls `body` with every app. Without `onUnreadable` a row that cannot be read is an error.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        onUnreadable: RowFault? = nil,
        _ body: (AppID, AppRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let row = try readRow(key, onUnreadable: onUnreadable) { (try Self.readKey(key), try Self.decode(value)) }
            if let (name, record) = row { try body(name, record) }
            return .proceed
        }
    }

    private static func readKey(_ key: Span<UInt8>) throws -> AppID {
        try ByteReader.read(key, of: "apps") { reader in
            let name = String(validating: try reader.take(reader.remaining), as: UTF8.self)
            guard let app = name.flatMap({ AppID($0) }) else { throw reader.corrupted("an invalid app") }
            return app
        }
    }

    private func withKey<R>(_ app: AppID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(capacity: AppID.maximumBytes, { $0.append(contentsOf: app.name.utf8) }, body)
    }

    private static func decode(_ value: Span<UInt8>) throws -> AppRecord {
        try ByteReader.read(value, of: "apps") { reader in
            try reader.version(version)
            let record = AppRecord(
                number: try reader.number(),
                nextDevice: try reader.number(),
                nextSet: try reader.number()
            )
            guard (1...deviceBound).contains(record.nextDevice) else { throw reader.corrupted("an invalid device id") }
            guard record.nextSet > 0 else { throw reader.corrupted("an invalid number of a set") }
            return record
        }
    }
}
