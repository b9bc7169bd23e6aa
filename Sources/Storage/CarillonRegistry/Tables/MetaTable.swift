import CarillonCore
import CarillonLMDB

/// The table `meta`: values that a database has once. Keys are names.
///
/// - `schema` → the version of all tables together, `u32`
/// - `epoch` → 16 bytes
/// - `secret` → the key of the digests of addresses, 16 bytes; a check of it, `u32`
/// - `message` → the last message id given, `u64`
/// - `event` → the number of the last event, `u64`
/// - `settings` → the settings (``RegistrySettings``)
/// - `silent` → the device at which the last sweep of silent pushes ended: app `u32`, device id `u64`
///
/// For the write-ahead log:
///
/// - `journal` → the LSN of the last record all of whose changes are stored, `u64`
/// - `state` → the state of the database, 16 bytes; the number of mutations of the next record that are stored, `u32`
/// - `log` → the secret of the log that may have changes which the database lacks, `u64`
/// - `starts` → the number of starts with a log, or after a crash, that opened the database for writing, `u64`
///
/// For the shared log of a cluster:
///
/// - `replica` → how far it is applied (``ReplicaRecord``)
struct MetaTable {
    let database: Database

    /// The version of the tables that this program reads and writes.
    static let schema: UInt32 = 6

    private static let schemaKey = Array("schema".utf8)
    private static let epochKey = Array("epoch".utf8)
    private static let secretKey = Array("secret".utf8)
    private static let messageKey = Array("message".utf8)
    private static let eventKey = Array("event".utf8)
    private static let settingsKey = Array("settings".utf8)
    private static let silentKey = Array("silent".utf8)
    private static let lsnKey = Array("journal".utf8)
    private static let stateKey = Array("state".utf8)
    private static let logKey = Array("log".utf8)
    private static let startsKey = Array("starts".utf8)
    private static let replicaKey = Array("replica".utf8)

    init(database: Database) {
        self.database = database
    }

    /// Opens the table of a file; nil if the file has none: it is new, or no registry.
    init?(in environment: LMDBEnvironment) throws {
        do throws(LMDBError) {
            database = try environment.openDatabase("meta")
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the schema of the stored data; nil in a new LMDB environment.
    func schema(in transaction: borrowing some Transaction & ~Copyable) throws -> UInt32? {
        try transaction.get(Self.schemaKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try $0.number() }
        }
    }

    /// Returns the identity of the stored data; nil if the data have none.
    func identity(in transaction: borrowing some Transaction & ~Copyable) throws -> RegistryIdentity? {
        let secret = try transaction.get(Self.secretKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try AddressSecret(&$0) }
        }
        guard let epoch = try epoch(in: transaction), let secret else { return nil }
        return RegistryIdentity(epoch: epoch, secret: secret)
    }

    /// Returns the epoch of the stored data; nil if they have none.
    func epoch(in transaction: borrowing some Transaction & ~Copyable) throws -> UUIDBytes? {
        try transaction.get(Self.epochKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try $0.uuid() }
        }
    }

    /// Initializes an LMDB environment with this schema.
    func initialize(_ identity: RegistryIdentity, in transaction: inout WriteTransaction) throws {
        let schema = ByteWriter.bytes(capacity: 4) { $0.append(Self.schema) }
        let secret = ByteWriter.bytes(capacity: AddressSecret.byteCount) { identity.secret.append(to: &$0) }
        try transaction.put(schema.span, for: Self.schemaKey.span, in: database)
        try transaction.put(secret.span, for: Self.secretKey.span, in: database)
        try putEpoch(identity.epoch, in: &transaction)
    }

    func putEpoch(_ epoch: UUIDBytes, in transaction: inout WriteTransaction) throws {
        let epoch = ByteWriter.bytes(capacity: 16) { $0.append(epoch) }
        try transaction.put(epoch.span, for: Self.epochKey.span, in: database)
    }

    /// Returns the last message id given; 0 before the first.
    func lastMessage(in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(Self.messageKey, in: transaction)
    }

    func putLastMessage(_ id: UInt64, in transaction: inout WriteTransaction) throws {
        try put(id, for: Self.messageKey, in: &transaction)
    }

    /// Returns the number of the last event; 0 before the first.
    func lastEvent(in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(Self.eventKey, in: transaction)
    }

    func putLastEvent(_ sequence: UInt64, in transaction: inout WriteTransaction) throws {
        try put(sequence, for: Self.eventKey, in: &transaction)
    }

    /// Returns the settings; nil in a database that no program has set yet.
    func settings(in transaction: borrowing some Transaction & ~Copyable) throws -> RegistrySettings? {
        try transaction.get(Self.settingsKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try RegistrySettings(&$0) }
        }
    }

    func silentBudget(
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> RegistrySettings.SilentBudget {
        (try settings(in: transaction) ?? RegistrySettings()).silentBudget
    }

    func putSettings(_ settings: RegistrySettings, in transaction: inout WriteTransaction) throws {
        try ByteWriter.withBytes(capacity: RegistrySettings.byteCount, { settings.append(to: &$0) }) { value in
            try transaction.put(value, for: Self.settingsKey.span, in: database)
        }
    }

    /// Returns the device at which the last sweep of silent pushes ended; nil if the sweep has read them all.
    func lastSilentSweepDevice(
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> (app: AppNumber, id: DeviceID)? {
        try transaction.get(Self.silentKey.span, in: database) { value in
            let device = try DeviceKey.read(value, of: "meta")
            guard device.id.rawValue < AppTable.deviceBound else {
                throw RegistryError.corrupted("meta: an invalid device id")
            }
            return device
        }
    }

    /// Stores the device at which a sweep of silent pushes has ended; nil if the sweep has read them all.
    func putLastSilentSweepDevice(_ device: (app: AppNumber, id: DeviceID)?, in transaction: inout WriteTransaction)
        throws
    {
        guard let device else {
            _ = try transaction.delete(Self.silentKey.span, in: database)
            return
        }
        try DeviceKey.with(app: device.app, device.id) { value in
            try transaction.put(value, for: Self.silentKey.span, in: database)
        }
    }

    func storedWAL(in transaction: borrowing some Transaction & ~Copyable) throws -> StoredWAL {
        var stored = StoredWAL()
        stored.position.lsn = try number(Self.lsnKey, in: transaction)
        try transaction.get(Self.stateKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") {
                stored.position.state = try $0.uuid()
                stored.position.storedMutations = try $0.number()
            }
        }
        let log = try number(Self.logKey, in: transaction)
        stored.secret = log == 0 ? nil : log
        return stored
    }

    /// Stores the position up to which the database contains the changes of the write-ahead log.
    func putWALPosition(_ position: WALPosition, in transaction: inout WriteTransaction) throws {
        if try number(Self.lsnKey, in: transaction) != position.lsn {
            try put(position.lsn, for: Self.lsnKey, in: &transaction)
        }
        try ByteWriter.withBytes(
            capacity: 20,
            {
                $0.append(position.state ?? .zero)
                $0.append(position.storedMutations)
            },
            { try transaction.put($0, for: Self.stateKey.span, in: database) })
    }

    /// Stores the secret of the log that may have changes which the database lacks; nil if the database relies on none.
    func putLogSecret(_ secret: UInt64?, in transaction: inout WriteTransaction) throws {
        if let secret {
            try put(secret, for: Self.logKey, in: &transaction)
        } else {
            try transaction.delete(Self.logKey.span, in: database)
        }
    }

    /// Returns the number of times that the database was opened for writing with a log, or after a crash: a start that
    /// drops a commit always counts.
    func startCount(in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(Self.startsKey, in: transaction)
    }

    func countStart(in transaction: inout WriteTransaction) throws {
        try put(try startCount(in: transaction) &+ 1, for: Self.startsKey, in: &transaction)
    }

    /// Returns the stored state of the shared log; nil in a database that was never a replica, or no longer is one.
    func replicaRecord(in transaction: borrowing some Transaction & ~Copyable) throws -> ReplicaRecord? {
        try transaction.get(Self.replicaKey.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try ReplicaRecord(&$0) }
        }
    }

    /// Stores how far the shared log is applied; with nil the database is no longer a replica.
    func putReplicaRecord(_ record: ReplicaRecord?, in transaction: inout WriteTransaction) throws {
        if let record {
            try transaction.put(record.bytes.span, for: Self.replicaKey.span, in: database)
        } else {
            try transaction.delete(Self.replicaKey.span, in: database)
        }
    }

    private func number(_ key: [UInt8], in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try transaction.get(key.span, in: database) { value in
            try ByteReader.read(value, of: "meta") { try $0.number() }
        } ?? 0
    }

    private func put(_ number: UInt64, for key: [UInt8], in transaction: inout WriteTransaction) throws {
        try ByteWriter.withBytes(capacity: 8, { $0.append(number) }) { value in
            try transaction.put(value, for: key.span, in: database)
        }
    }
}
