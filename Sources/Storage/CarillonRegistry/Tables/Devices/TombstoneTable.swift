import CarillonCore
import CarillonLMDB

/// The record that remains of an unregistered device (Protocol 7).
struct Tombstone: Hashable {
    /// The time of the unregistration, as its caller gave it; registrations that are not later are stale.
    var unregisteredAt: Timestamp
    /// The server's time of writing, from which the retention of the tombstone counts.
    var writtenAt: Timestamp
}

/// The table of the tombstones.
///
/// `tombstones`: app `u32`, environment `u8`, kind `u8`, token → version `u8`, unregistered at and written at, `u64`
/// each.
///
/// Each has a row in `addresses`.
struct TombstoneTable {
    let database: Database

    private static let version: UInt8 = 1

    func get(
        _ address: DeviceAddress, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Tombstone? {
        try Self.withKey(app: app, address) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(
        _ tombstone: Tombstone, for address: DeviceAddress, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        try Self.withKey(app: app, address) { key in
            try ByteWriter.withBytes(
                capacity: 1 + 2 * UInt64.byteCount,
                { writer in
                    writer.append(Self.version)
                    writer.append(tombstone.unregisteredAt)
                    writer.append(tombstone.writtenAt)
                }
            ) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    func delete(_ address: DeviceAddress, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try Self.withKey(app: app, address) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with the tombstones of an app after `address`, in the order of environment, kind and token.
    func forEach(
        app: AppNumber,
        after address: DeviceAddress?,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceAddress, Tombstone) throws -> IterationStep
    ) throws {
        let prefix = ByteWriter.bytes(capacity: AppNumber.byteCount) { $0.append(app) }
        let after = address.map { address in
            ByteWriter.bytes(capacity: AppAddress.maximumBytes) { AppAddress.append(app, address, to: &$0) }
        }
        _ = try transaction.forEach(in: database, prefix: prefix.span, after: after?.span) { key, value in
            try body(try ByteReader.read(key, of: "tombstones", AppAddress.read).address, try Self.decode(value))
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceAddress, Tombstone) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, address) = try ByteReader.read(key, of: "tombstones", AppAddress.read)
            try body(app, address, try Self.decode(value))
            return .proceed
        }
    }

    private static func withKey<R>(
        app: AppNumber, _ address: DeviceAddress, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(capacity: AppAddress.maximumBytes, { AppAddress.append(app, address, to: &$0) }, body)
    }

    private static func decode(_ value: Span<UInt8>) throws -> Tombstone {
        try ByteReader.read(value, of: "tombstones") { reader in
            try reader.version(version)
            return Tombstone(unregisteredAt: try reader.time(), writtenAt: try reader.time())
        }
    }
}

/// The form of a whole address of an app in a key: app `u32`, environment `u8`, kind `u8`, token.
enum AppAddress {
    static let maximumBytes = 6 + DeviceToken.maximumBytes

    @inline(__always)
    static func append(_ app: AppNumber, _ address: DeviceAddress, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.environment.rawValue)
        writer.append(address.kind.rawValue)
        writer.append(contentsOf: address.token.bytes)
    }

    /// Reads an address of an app, to the end of the key.
    static func read(_ reader: inout ByteReader) throws -> (app: AppNumber, address: DeviceAddress) {
        let app: AppNumber = try reader.number()
        let environment: APNsEnvironment = try reader.value()
        let kind: TokenKind = try reader.value()
        return (app, DeviceAddress(environment: environment, kind: kind, token: try reader.tokenToEnd()))
    }
}
