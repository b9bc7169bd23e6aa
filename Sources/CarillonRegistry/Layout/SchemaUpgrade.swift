import CarillonCore
import CarillonLMDB

/// Takes over what a program with the schema before this one has stored.
///
/// Schema 3 had whole addresses as the keys of `addresses`, tombstones were rows there, and there was no secret. All else is the same. It is
/// one transaction: whoever is killed in the middle finds what was there before. Some seconds for a million devices, once.
struct SchemaUpgrade {
    /// The schema that is taken over.
    static let from: UInt32 = 3

    private let meta: MetaTable
    private let devices: DeviceTable
    private let addresses: AddressTable
    private let tombstones: TombstoneTable
    private let piece: Int
    private let onUnreadable: (String) -> Void

    /// - Parameters:
    ///   - piece: rows that are in memory at a time.
    ///   - onUnreadable: called with what could not be taken over.
    init(
        _ environment: CarillonLMDB.Environment, piece: Int = 200_000, onUnreadable: @escaping (String) -> Void
    ) throws {
        self.piece = piece
        meta = MetaTable(database: try environment.openDatabase("meta"))
        devices = DeviceTable(database: try environment.openDatabase("devices"))
        addresses = AddressTable(database: try environment.openDatabase("addresses"))
        tombstones = TombstoneTable(database: try environment.openDatabase("tombstones", create: true))
        self.onUnreadable = onUnreadable
    }

    /// Stores all of it as this program does; returns its mark.
    func run(in transaction: inout WriteTransaction) throws -> RegistryMark {
        guard let epoch = try meta.epoch(transaction) else { throw RegistryError.corrupted("meta: no epoch") }
        let mark = RegistryMark(epoch: epoch, secret: .random())
        var unreadable = try moveTombstones(in: &transaction)
        try transaction.deleteAll(addresses.database)
        unreadable += try fill(from: devices.database, in: &transaction) { key, value in
            let (app, id) = try DeviceKey.read(key, of: "devices")
            let device = try devices.read(value, id)
            return (app, mark.secret.digest(of: device.address, app), .device(id))
        }
        unreadable += try fill(from: tombstones.database, in: &transaction) { key, _ in
            let (app, address) = try ByteReader.read(key, of: "tombstones", AppAddress.read)
            return (app, mark.secret.digest(of: address, app), .tombstone)
        }
        try meta.initialize(&transaction, mark)
        if unreadable > 0 {
            onUnreadable("\(unreadable) rows of schema \(Self.from) could not be read: their addresses are unknown now")
        }
        return mark
    }

    /// Gives each tombstone a row of its own table, under the same key; returns how many rows could not be read.
    private func moveTombstones(in transaction: inout WriteTransaction) throws -> Int {
        try forEachPiece(of: addresses.database, in: &transaction) { key, value -> (key: [UInt8], Tombstone)? in
            try ByteReader.read(value, of: "addresses") { reader in
                try reader.version(1)
                switch try reader.number(UInt8.self) {
                case 1:
                    _ = try reader.number(UInt64.self)
                    return nil
                case 2:
                    return (key.bytes, Tombstone(at: try reader.time(), writtenAt: try reader.time()))
                default: throw reader.corrupted("an unknown form")
                }
            }
        } store: { found, transaction in
            for (key, tombstone) in found {
                let (app, address) = try ByteReader.read(key.span, of: "addresses", AppAddress.read)
                try tombstones.put(&transaction, app, address, tombstone)
            }
        }
    }

    private typealias Row = (app: AppNumber, address: AddressDigest, entry: AddressEntry)

    /// Stores who has an address from the rows of another table; returns how many could not be read.
    private func fill(
        from database: Database,
        in transaction: inout WriteTransaction,
        _ row: (Span<UInt8>, Span<UInt8>) throws -> Row
    ) throws -> Int {
        try forEachPiece(of: database, in: &transaction, read: row) { found, transaction in
            // In the order of their keys.
            for row in found.sorted(by: { ($0.app, $0.address) < ($1.app, $1.address) }) {
                try addresses.put(&transaction, row.app, row.address, row.entry)
            }
        }
    }

    /// Reads a table in pieces, and lets each be stored before the next; returns how many rows could not be read.
    private func forEachPiece<Found>(
        of database: Database,
        in transaction: inout WriteTransaction,
        read: (Span<UInt8>, Span<UInt8>) throws -> Found?,
        store: ([Found], inout WriteTransaction) throws -> Void
    ) throws -> Int {
        var unreadable = 0
        var last: [UInt8]?
        repeat {
            var found: [Found] = []
            var next: [UInt8]?
            var visited = 0
            try transaction.forEach(database, prefix: [UInt8]().span, after: last?.span) { key, value in
                do {
                    if let row = try read(key, value) { found.append(row) }
                } catch is RegistryError {
                    unreadable += 1
                }
                visited += 1
                guard visited == piece else { return .goOn }
                next = key.bytes
                return .stop
            }
            try store(found, &transaction)
            last = next
        } while last != nil
        return unreadable
    }
}

extension Span<UInt8> {
    /// A copy.
    fileprivate var bytes: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
