import CarillonCore
import CarillonLMDB

/// The upgrade that makes the sets of `platform`, which schema 5 did not have. In schema 5 every active device was an
/// Apple device.
///
/// The sets are made of other sets, so no device is read. A device is in the set of its platform if it is in a set of a
/// kind, and in no set of an attribute `platform` of its own.
struct PlatformUpgrade {
    private let onUnreadable: (String) -> Void
    private let apps: AppTable
    private let sets: SetTable
    private let setNames: SetNameTable
    private let postings: PostingTable

    /// Opens the tables, or makes them: the making of an empty database may have been interrupted.
    ///
    /// - Parameter onUnreadable: called for an app whose rows cannot be read. It stays as it is.
    init(_ environment: LMDBEnvironment, onUnreadable: @escaping (String) -> Void) throws {
        self.onUnreadable = onUnreadable
        apps = AppTable(database: try environment.openDatabase("apps", ifMissing: .create))
        sets = SetTable(database: try environment.openDatabase("sets", ifMissing: .create))
        setNames = SetNameTable(database: try environment.openDatabase("setnames", ifMissing: .create))
        postings = PostingTable(database: try environment.openDatabase("postings", ifMissing: .create))
    }

    /// Makes the sets of every app.
    func run(in transaction: inout WriteTransaction) throws {
        var found: [(AppID, AppRecord)] = []
        try apps.forEach(
            in: transaction,
            onUnreadable: { key, reason in
                onUnreadable("apps: \(Hex.string(key)): \(reason)")
            }
        ) { found.append(($0, $1)) }
        for (app, record) in found {
            do {
                try makeSet(of: app, record, in: &transaction)
            } catch RegistryError.corrupted(let fault) {
                onUnreadable("the devices of \(app) have no platform: \(fault)")
            }
        }
    }

    /// The devices of an app by their chunks: 512 bytes for 4,096 devices.
    private typealias Devices = [ChunkNumber: ChunkBits]

    private func makeSet(of app: AppID, _ record: AppRecord, in transaction: inout WriteTransaction) throws {
        var devices = Devices()
        for kind in TokenKind.allCases where kind.provider == .apns {
            let label = SetLabel.attribute(AttributeKey.kind.name, kind.name)
            guard let set = try sets.get(label, app: record.number, in: transaction) else { continue }
            try add(set, app: record.number, to: &devices, in: transaction)
        }
        let label = SetLabel.attribute(AttributeKey.platform.name, Provider.apns.platform)
        var known: SetRecord?
        var own = Devices()
        // The name of an attribute's set is its key, a byte 0 and its value.
        let names = SetTable.NameRange(prefix: AttributeKey.platform.name + "\0")
        try sets.forEach(.attribute, app: record.number, names: names, in: transaction) { name, set in
            if name == label { return known = set }
            try add(set, app: record.number, to: &own, in: transaction)
        }
        for (chunk, bits) in own { devices[chunk]?.subtract(bits) }
        guard devices.contains(where: { !$0.value.isEmpty }) else { return }
        var set = known ?? SetRecord(number: record.nextSet)
        if known == nil {
            var record = record
            guard record.nextSet < .max else { throw RegistryError.corrupted("apps: no number for a set left") }
            record.nextSet += 1
            try apps.put(record, for: app, in: &transaction)
            try setNames.put(label, for: set.number, app: record.number, in: &transaction)
        }
        set.devices = 0
        for (chunk, bits) in devices.sorted(by: { $0.key < $1.key }) where !bits.isEmpty {
            set.devices += UInt64(bits.count)
            let rowKey = PostingTable.RowKey(app: record.number, set: set.number, chunk: chunk)
            try postings.put(bits, count: bits.count, at: rowKey, in: &transaction)
        }
        try sets.put(set, for: label, app: record.number, in: &transaction)
    }

    private func add(
        _ set: SetRecord, app: AppNumber, to devices: inout Devices, in transaction: borrowing WriteTransaction
    ) throws {
        try postings.forEach(app: app, set: set.number, in: transaction) { chunk, bits in
            devices[chunk, default: ChunkBits()].formUnion(bits)
            return .proceed
        }
    }
}
