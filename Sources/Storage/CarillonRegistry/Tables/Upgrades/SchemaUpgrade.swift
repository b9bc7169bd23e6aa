import CarillonCore
import CarillonLMDB

/// Upgrades a database of an older schema, in one transaction: a process that is killed in the middle changes nothing.
///
/// A database goes through each step that is newer than its schema:
///
/// - From schema 3 to 4, the upgrade makes a secret, and rewrites `addresses`: the keys, which were whole addresses,
///   become digests, and the tombstones, which were rows there, get rows of `tombstones`. Rows that cannot be read stay
///   as they are.
/// - From schema 4 to 5, nothing is rewritten: the table `recent` begins empty. The schema has another number because
///   an older program would miss the rows there.
/// - From schema 5 to 6, `PlatformUpgrade` makes the sets of platforms. An older program could not read device records
///   of newer kinds.
struct SchemaUpgrade {
    /// The schemas that are upgraded.
    static let olderSchemas: ClosedRange<UInt32> = 3...5

    private let meta: MetaTable
    private let addresses: AddressTable
    private let tombstones: TombstoneTable
    private let platforms: PlatformUpgrade
    private let maximumRowsInMemory: Int
    private let onUnreadable: (String) -> Void

    /// Opens the tables, and makes missing ones.
    ///
    /// - Parameters:
    ///   - maximumRowsInMemory: the rows that are in memory at a time.
    ///   - onUnreadable: called if rows could not be upgraded.
    init(
        _ environment: LMDBEnvironment, maximumRowsInMemory: Int = 500_000, onUnreadable: @escaping (String) -> Void
    ) throws {
        self.maximumRowsInMemory = maximumRowsInMemory
        // The making of an empty database may have been interrupted.
        meta = MetaTable(database: try environment.openDatabase("meta"))
        addresses = AddressTable(database: try environment.openDatabase("addresses", ifMissing: .create), recent: nil)
        tombstones = TombstoneTable(database: try environment.openDatabase("tombstones", ifMissing: .create))
        platforms = try PlatformUpgrade(environment, onUnreadable: onUnreadable)
        self.onUnreadable = onUnreadable
    }

    /// Rewrites all rows in the current form; returns the new identity.
    func run(in transaction: inout WriteTransaction) throws -> RegistryIdentity {
        guard let epoch = try meta.epoch(in: transaction) else { throw RegistryError.corrupted("meta: no epoch") }
        let identity: RegistryIdentity
        if try meta.schema(in: transaction) == Self.olderSchemas.lowerBound {
            identity = RegistryIdentity(epoch: epoch, secret: .random())
            try moveAddresses(to: identity, in: &transaction)
        } else {
            guard let stored = try meta.identity(in: transaction) else {
                throw RegistryError.corrupted("meta: no secret")
            }
            identity = stored
        }
        try platforms.run(in: &transaction)
        try meta.initialize(identity, in: &transaction)
        return identity
    }

    /// Rewrites the addresses of schema 3.
    private func moveAddresses(to identity: RegistryIdentity, in transaction: inout WriteTransaction) throws {
        var unreadable = 0
        var last: [UInt8]?
        repeat {
            let (rows, next) = try read(after: last, unreadable: &unreadable, in: transaction)
            for row in rows { _ = try transaction.delete(row.key.span, in: addresses.database) }
            try store(rows, secret: identity.secret, in: &transaction)
            last = next
        } while last != nil
        if unreadable > 0 {
            let schema = Self.olderSchemas.lowerBound
            onUnreadable("addresses: \(unreadable) rows of schema \(schema) cannot be read, and stay as they are")
        }
    }

    /// A row as schema 3 had it.
    private struct OldRow {
        let key: [UInt8]
        let app: AppNumber
        let address: DeviceAddress
        let state: AddressState
    }

    /// Returns the next rows after a key, and the last key if there may be more.
    private func read(
        after key: [UInt8]?, unreadable: inout Int, in transaction: borrowing WriteTransaction
    ) throws -> (rows: [OldRow], last: [UInt8]?) {
        var rows: [OldRow] = []
        var last: [UInt8]?
        try transaction.forEach(in: addresses.database, prefix: [UInt8]().span, after: key?.span) { key, value in
            // New rows may stand among the old ones already. Only new rows have eight bytes.
            guard value.count != AddressTable.valueBytes else { return .proceed }
            do {
                rows.append(try Self.decode(key, value))
            } catch is RegistryError {
                unreadable += 1
            }
            guard rows.count == maximumRowsInMemory else { return .proceed }
            last = rows.last?.key
            return .stop
        }
        return (rows, last)
    }

    private func store(_ rows: [OldRow], secret: AddressSecret, in transaction: inout WriteTransaction) throws {
        for row in rows {
            guard case .tombstone(let tombstone) = row.state else { continue }
            try tombstones.put(tombstone, for: row.address, app: row.app, in: &transaction)
        }
        let newRows = rows.map { (app: $0.app, digest: secret.digest(of: $0.address, app: $0.app), state: $0.state) }
        for row in newRows.sorted(by: { ($0.app, $0.digest) < ($1.app, $1.digest) }) {
            switch row.state {
            case .device(let id): try addresses.put(.device(id), for: row.digest, app: row.app, in: &transaction)
            case .tombstone: try addresses.put(.tombstone, for: row.digest, app: row.app, in: &transaction)
            }
        }
    }

    private static func decode(_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> OldRow {
        let (app, address) = try ByteReader.read(key, of: "addresses", AppAddress.read)
        let state = try ByteReader.read(value, of: "addresses") { reader -> AddressState in
            try reader.version(1)
            switch try reader.number(UInt8.self) {
            case 1:
                let id: UInt64 = try reader.number()
                guard (1..<AppTable.deviceBound).contains(id) else { throw reader.corrupted("an invalid device id") }
                return .device(DeviceID(rawValue: id))
            case 2: return .tombstone(Tombstone(unregisteredAt: try reader.time(), writtenAt: try reader.time()))
            default: throw reader.corrupted("an unknown form")
            }
        }
        return OldRow(key: key.withUnsafeBufferPointer { Array($0) }, app: app, address: address, state: state)
    }
}
