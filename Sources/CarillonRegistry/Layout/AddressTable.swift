import CarillonCore
import CarillonLMDB

/// The row of an address.
enum AddressEntry: Hashable {
    /// A device has it.
    case device(DeviceID)
    /// No device has it; its tombstone is in `tombstones`.
    case tombstone
}

/// `addresses`: app `u32`, digest of the address (``AddressDigest``: `u64`, `u32`) → `u64`: in its first byte 1 and
/// behind it a device id, or in its first byte 2.
///
/// The address itself is in the record of the device, or in `tombstones`. The order of the rows is random, and each is
/// used alone: small rows mean fewer pages for a registration to write and for a lookup to read.
struct AddressTable {
    let database: Database

    private static let keyBytes = 16
    /// Bytes of a value.
    static let valueBytes = 8
    private static let formShift: UInt64 = 56

    /// The row of an address; nil if there is none.
    func get(
        _ address: AddressDigest, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> AddressEntry? {
        try Self.withKey(app: app, address) { key in try transaction.get(key, in: database, Self.decode) }
    }

    /// Stores the row of an address.
    func put(
        _ entry: AddressEntry, for address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        try Self.withKey(app: app, address) { key in
            try Self.withValue(entry) { value in try transaction.put(value, for: key, in: database) }
        }
    }

    /// Gives a device an address that has no row, with one descent of the tree, and returns nil; else changes nothing
    /// and returns the row.
    func insert(
        _ id: DeviceID, for address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> AddressEntry? {
        try Self.withKey(app: app, address) { key in
            try Self.withValue(.device(id)) { value in
                try transaction.insert(value, for: key, in: database, orExisting: Self.decode)
            }
        }
    }

    /// The same for many addresses in the order of their digests.
    func insert(
        _ id: DeviceID, for address: AddressDigest, app: AppNumber, in cursor: inout WriteCursor
    ) throws -> AddressEntry? {
        try Self.withKey(app: app, address) { key in
            try Self.withValue(.device(id)) { value in try cursor.insert(value, for: key, orExisting: Self.decode) }
        }
    }

    /// Removes the row of an address.
    func delete(_ address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try Self.withKey(app: app, address) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with every address of every app.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, AddressDigest, AddressEntry) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let place = try Self.decode(key: key)
            try body(place.app, place.address, try Self.decode(value))
            return .proceed
        }
    }

    /// A row, whether or not it can be read.
    struct Row {
        let place: Place
        /// The entry; nil if it cannot be read.
        let entry: AddressEntry?
    }

    /// Where a row is.
    typealias Place = (app: AppNumber, address: AddressDigest)

    /// Calls `body` with the rows after a place, or with all rows; without rows whose keys are no addresses.
    func forEachRow(
        after place: Place?, in transaction: borrowing some Transaction & ~Copyable, _ body: (Row) throws -> Iteration
    ) throws {
        let after = place.map { place in
            ByteWriter.bytes(capacity: Self.keyBytes) { Self.append(place.app, place.address, to: &$0) }
        }
        _ = try transaction.forEach(in: database, prefix: [UInt8]().span, after: after?.span) { key, value in
            guard key.count == Self.keyBytes else { return .proceed }
            return try body(Row(place: try Self.decode(key: key), entry: try? Self.decode(value)))
        }
    }

    /// The number of addresses of an app that devices have.
    func countDevices(app: AppNumber, in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        var count: UInt64 = 0
        let prefix = ByteWriter.bytes(capacity: 4) { $0.append(app) }
        try transaction.forEach(in: database, prefix: prefix.span) { _, value in
            if case .device = try Self.decode(value) { count += 1 }
            return .proceed
        }
        return count
    }

    @inline(__always)
    private static func decode(key: Span<UInt8>) throws -> Place {
        try ByteReader.read(key, of: "addresses") { reader in
            (try reader.number(), AddressDigest(head: try reader.number(), tail: try reader.number()))
        }
    }

    @inline(__always)
    private static func append(_ app: AppNumber, _ address: AddressDigest, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.head)
        writer.append(address.tail)
    }

    @inline(__always)
    private static func withKey<R>(
        app: AppNumber, _ address: AddressDigest, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(capacity: keyBytes, { append(app, address, to: &$0) }, body)
    }

    @inline(__always)
    private static func withValue<R>(_ entry: AddressEntry, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        let word: UInt64 =
            switch entry {
            case .device(let id): 1 << formShift | id.rawValue
            case .tombstone: 2 << formShift
            }
        return try ByteWriter.withBytes(capacity: valueBytes, { $0.append(word) }, body)
    }

    @inline(__always)
    private static func decode(_ value: Span<UInt8>) throws -> AddressEntry {
        try ByteReader.read(value, of: "addresses") { reader in
            let word: UInt64 = try reader.number()
            let id = word & (1 << formShift - 1)
            switch word >> formShift {
            case 1 where (1..<AppTable.deviceBound).contains(id): return .device(DeviceID(rawValue: id))
            case 2 where id == 0: return .tombstone
            default: throw reader.corrupted("an unknown form")
            }
        }
    }
}
