import CarillonCore
import CarillonLMDB

/// The trace of an unregistration (Protocol 7).
struct Tombstone: Hashable {
    /// The time that the unregistration bore; registrations not later than it are stale.
    var at: Timestamp
    /// Server's time of writing, from which its retention counts.
    var writtenAt: Timestamp
}

/// What is known of an address.
enum AddressState: Hashable {
    /// A device holds it.
    case device(DeviceID)
    /// It was unregistered.
    case tombstone(Tombstone)
}

/// `addresses`: app `u32`, environment `u8`, kind `u8`, token → version `u8`, then form `u8` 1 and device id `u64`, or
/// form 2 and the tombstone's at and written at, `u64` each.
struct AddressTable {
    let database: Database

    private static let version: UInt8 = 1
    /// The longest key.
    static let keyBytes = 6 + DeviceToken.byteLimit

    /// What is known of an address.
    func get(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ app: AppNumber,
        _ address: DeviceAddress
    ) throws -> AddressState? {
        try Self.withKey(app, address) { key in
            try transaction.get(database, key, Self.decode)
        }
    }

    /// Stores what is known of an address.
    func put(
        _ transaction: inout WriteTransaction,
        _ app: AppNumber,
        _ address: DeviceAddress,
        _ state: AddressState
    ) throws {
        try Self.withKey(app, address) { key in
            try ByteWriter.withBytes(capacity: 18, { Self.encode(state, into: &$0) }) { value in
                try transaction.put(database, key, value)
            }
        }
    }

    /// Lets a device hold an address of which nothing is known, on one way down the tree; else changes nothing and tells what
    /// is known.
    func insert(
        _ transaction: inout WriteTransaction,
        _ app: AppNumber,
        _ address: DeviceAddress,
        _ id: DeviceID
    ) throws -> AddressState? {
        try Self.withKey(app, address) { key in try insert(&transaction, key: key, id) }
    }

    /// The same for an address of which there is the key.
    func insert(_ transaction: inout WriteTransaction, key: Span<UInt8>, _ id: DeviceID) throws -> AddressState? {
        try ByteWriter.withBytes(capacity: 10, { Self.encode(.device(id), into: &$0) }) { value in
            try transaction.insert(database, key, value, unlessHeld: Self.decode)
        }
    }

    /// Forgets an address.
    func delete(_ transaction: inout WriteTransaction, _ app: AppNumber, _ address: DeviceAddress) throws {
        _ = try Self.withKey(app, address) { key in try transaction.delete(database, key) }
    }

    /// What stands in a row, as it is stored.
    struct Row {
        let app: AppNumber
        let environment: UInt8
        let kind: UInt8
        /// Valid only inside the call that gives the row.
        let token: UnsafeRawBufferPointer
        private let value: UnsafeRawBufferPointer

        fileprivate init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
            // What is too short is no address that anybody could name.
            guard key.count > 6 else { return nil }
            app = AppNumber(bigEndian: key.loadUnaligned(as: AppNumber.self))
            (environment, kind) = (key[4], key[5])
            token = UnsafeRawBufferPointer(rebasing: key[6...])
            self.value = value
        }

        var mark: AddressMark { AddressMark(app, environment: environment, kind: kind, token: token) }

        /// The device that holds the address; nothing if none does, or it cannot be read.
        var device: DeviceID? {
            guard case .device(let id) = try? AddressTable.decode(value.bindMemory(to: UInt8.self).span) else {
                return nil
            }
            return id
        }
    }

    /// Calls `body` with every row after `position`, or all of them, and its key.
    func forEachRow(
        _ transaction: borrowing some Transaction & ~Copyable,
        after position: [UInt8]?,
        _ body: (_ key: Span<UInt8>, Row) throws -> Iteration
    ) throws {
        _ = try transaction.forEach(database, prefix: [UInt8]().span, after: position?.span) { key, value in
            try key.withUnsafeBytes { keyBytes in
                try value.withUnsafeBytes { value in
                    guard let row = Row(keyBytes, value) else { return .goOn }
                    return try body(key, row)
                }
            }
        }
    }

    /// Calls `body` with every address of every app.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceAddress, AddressState) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            let (app, address) = try ByteReader.read(key, of: "addresses", Self.readKey)
            try body(app, address, try Self.decode(value))
            return .goOn
        }
    }

    /// Calls `body` with the addresses of an app after `address`, in the order of their keys.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ app: AppNumber,
        after address: DeviceAddress?,
        _ body: (DeviceAddress, AddressState) throws -> Iteration
    ) throws {
        let prefix = ByteWriter.bytes(capacity: 4) { $0.append(app) }
        let after = address.map { address in
            ByteWriter.bytes(capacity: Self.keyBytes) { Self.appendKey(app, address, to: &$0) }
        }
        _ = try transaction.forEach(database, prefix: prefix.span, after: after?.span) { key, value in
            try body(try ByteReader.read(key, of: "addresses", Self.readKey).1, try Self.decode(value))
        }
    }

    /// Writes the key of an address; also the end of a key of `expiry`.
    @inline(__always)
    static func appendKey(_ app: AppNumber, _ address: DeviceAddress, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.environment.rawValue)
        writer.append(address.kind.rawValue)
        writer.append(contentsOf: address.token.bytes)
    }

    /// Reads the key of an address, to the end.
    static func readKey(_ reader: inout ByteReader) throws -> (AppNumber, DeviceAddress) {
        let app: AppNumber = try reader.number()
        let environment: CarillonCore.Environment = try reader.value()
        let kind: TokenKind = try reader.value()
        return (app, DeviceAddress(environment: environment, kind: kind, token: try reader.tokenToEnd()))
    }

    /// Calls `body` with the key of an address.
    @inline(__always)
    static func withKey<R>(
        _ app: AppNumber, _ address: DeviceAddress, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(capacity: keyBytes, { appendKey(app, address, to: &$0) }, body)
    }

    private static func encode(_ state: AddressState, into writer: inout ByteWriter) {
        writer.append(version)
        switch state {
        case .device(let id):
            writer.append(UInt8(1))
            writer.append(id.rawValue)
        case .tombstone(let tombstone):
            writer.append(UInt8(2))
            writer.append(tombstone.at)
            writer.append(tombstone.writtenAt)
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> AddressState {
        try ByteReader.read(value, of: "addresses") { reader in
            try reader.version(version)
            switch try reader.number(UInt8.self) {
            case 1: return .device(DeviceID(rawValue: try reader.number()))
            case 2: return .tombstone(Tombstone(at: try reader.time(), writtenAt: try reader.time()))
            default: throw reader.corrupted("an unknown form")
            }
        }
    }
}
