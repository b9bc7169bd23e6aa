import CarillonCore
import CarillonLMDB

/// Makes the set of the platform `ios` of each app, which schema 5 did not have. In schema 5 every active device was an
/// Apple device.
///
/// The set is made of other sets, so no device is read. A device is in it if the device is in a set of a kind of token,
/// and in no set of another value of the attribute `platform`.
struct PlatformUpgrade {
    private let onUnreadable: (String) -> Void
    private let apps: AppTable
    private let sets: SetTable
    private let setNames: SetNameTable
    private let postings: PostingTable

    /// Opens the tables, or makes those that are missing: the process may have ended while it made an empty database.
    ///
    /// - Parameter onUnreadable: called for an app whose rows cannot be read. It stays as it is.
    init(_ environment: LMDBEnvironment, onUnreadable: @escaping (String) -> Void) throws {
        self.onUnreadable = onUnreadable
        apps = AppTable(database: try environment.openDatabase("apps", ifMissing: .create))
        sets = SetTable(database: try environment.openDatabase("sets", ifMissing: .create))
        setNames = SetNameTable(database: try environment.openDatabase("setnames", ifMissing: .create))
        postings = PostingTable(database: try environment.openDatabase("postings", ifMissing: .create))
    }

    /// Makes the set of every app.
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

    /// Makes the set of the devices of an app that have the platform `ios`, if there are any.
    private func makeSet(of app: AppID, _ record: AppRecord, in transaction: inout WriteTransaction) throws {
        let label = SetLabel.attribute(AttributeKey.platform.name, Provider.apns.platform)
        let stored = try storedPlatforms(of: record.number, in: transaction)
        var devices = try appleDevices(of: record.number, in: transaction)
        for (chunk, bits) in stored.withOtherPlatform { devices[chunk]?.subtract(bits) }
        guard devices.contains(where: { !$0.value.isEmpty }) else { return }
        var set = try stored.set ?? newSet(label, of: app, record: record, in: &transaction)
        set.devices = 0
        for (chunk, bits) in devices.sorted(by: { $0.key < $1.key }) where !bits.isEmpty {
            set.devices += UInt64(bits.count)
            let rowKey = PostingTable.RowKey(app: record.number, set: set.number, chunk: chunk)
            try postings.put(bits, count: bits.count, at: rowKey, in: &transaction)
        }
        try sets.put(set, for: label, app: record.number, in: &transaction)
    }

    /// Returns the Apple devices: those in the set of a kind of token that Apple devices have.
    private func appleDevices(of app: AppNumber, in transaction: borrowing WriteTransaction) throws -> Devices {
        var devices = Devices()
        for kind in TokenKind.allCases where kind.provider == .apns {
            let label = SetLabel.attribute(AttributeKey.kind.name, kind.name)
            guard let set = try sets.get(label, app: app, in: transaction) else { continue }
            try add(set, app: app, to: &devices, in: transaction)
        }
        return devices
    }

    /// Returns the set of the platform if it exists, which an attribute of a device has made, and the devices with an
    /// attribute that names another platform.
    private func storedPlatforms(
        of app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> (set: SetRecord?, withOtherPlatform: Devices) {
        let label = SetLabel.attribute(AttributeKey.platform.name, Provider.apns.platform)
        var found: SetRecord?
        var others = Devices()
        // The name of an attribute's set is its key, a byte 0 and its value.
        let names = SetTable.NameRange(prefix: AttributeKey.platform.name + "\0")
        try sets.forEach(.attribute, app: app, names: names, in: transaction) { name, set in
            if name == label { return found = set }
            try add(set, app: app, to: &others, in: transaction)
        }
        return (found, others)
    }

    /// Makes an empty set with the next number of the app.
    private func newSet(
        _ label: SetLabel, of app: AppID, record: AppRecord, in transaction: inout WriteTransaction
    ) throws -> SetRecord {
        guard record.nextSet < .max else { throw RegistryError.corrupted("apps: no number for a set left") }
        let set = SetRecord(number: record.nextSet)
        var record = record
        record.nextSet += 1
        try apps.put(record, for: app, in: &transaction)
        try setNames.put(label, for: set.number, app: record.number, in: &transaction)
        return set
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
