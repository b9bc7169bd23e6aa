import CarillonCore
import CarillonLMDB

/// What is stored of an app.
struct AppRecord: Hashable {
    /// Its number in keys; from 1, never used again.
    var number: AppNumber
    /// The id that the next device gets; from 1.
    var nextDevice: UInt64
}

/// `apps`: name → version `u8`, number `u32`, next device id `u64`.
struct AppTable {
    let database: Database

    private static let version: UInt8 = 1
    /// Device ids are less than this (Protocol 7).
    static let deviceBound: UInt64 = 1 << 52

    /// The record of an app.
    func get(_ transaction: borrowing some Transaction & ~Copyable, _ app: AppID) throws -> AppRecord? {
        try withKey(app) { key in
            try transaction.get(database, key, Self.decode)
        }
    }

    /// Stores the record of an app.
    func put(_ transaction: inout WriteTransaction, _ app: AppID, _ record: AppRecord) throws {
        try withKey(app) { key in
            try ByteWriter.withBytes(
                capacity: 13,
                {
                    $0.append(Self.version)
                    $0.append(record.number)
                    $0.append(record.nextDevice)
                },
                { value in try transaction.put(database, key, value) }
            )
        }
    }

    /// Calls `body` with every record.
    func forEach(_ transaction: borrowing some Transaction & ~Copyable, _ body: (AppRecord) throws -> Void) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { _, value in
            try body(try Self.decode(value))
            return .goOn
        }
    }

    private func withKey<R>(_ app: AppID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(capacity: AppID.byteLimit, { $0.append(contentsOf: app.name.utf8) }, body)
    }

    private static func decode(_ value: Span<UInt8>) throws -> AppRecord {
        try ByteReader.read(value, of: "apps") { reader in
            try reader.version(version)
            let record = AppRecord(number: try reader.number(), nextDevice: try reader.number())
            guard (1...deviceBound).contains(record.nextDevice) else { throw reader.corrupted("a device id") }
            return record
        }
    }
}
