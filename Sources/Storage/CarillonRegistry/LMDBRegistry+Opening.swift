import CarillonCluster
package import CarillonCore
import CarillonLMDB

/// The steps by which a registry is opened, before its writer begins.
extension LMDBRegistry {
    /// A data directory that this process has locked, and whose newest commit is whole.
    struct OpenedDirectory {
        let path: String
        let lock: DirectoryLock
        let log: WALDirectory
    }

    /// The database and the write-ahead log of a directory, as a start has opened them.
    struct OpenedDatabase {
        let environment: LMDBEnvironment
        let tables: Tables
        let identity: RegistryIdentity
        let wal: WriteAheadLog
        /// The state of the replica; nil if the database is made from no shared log.
        let replica: ReplicaRecord?

        /// Returns the context of a replica's writer; nil for a registry that keeps a log of its own.
        func replicaContext(over exchange: ReplicaExchange?, at now: Uptime) -> ReplicaContext? {
            guard let replica, let exchange else { return nil }
            return ReplicaContext(exchange, record: replica, at: now)
        }

        /// The settings in the database; nil if the database has none, or if they cannot be read and so are replaced.
        var storedSettings: RegistrySettings? {
            // Why try?: settings that cannot be read are replaced.
            try? environment.read { (transaction) throws in try tables.meta.settings(in: transaction) }
        }
    }

    /// Locks the directory, makes it if the options say so, and repairs what a killed process has left.
    ///
    /// - Parameter lock: the lock of the directory, if the caller holds it already.
    static func openDirectory(
        _ path: String, options: Options, lock: DirectoryLock?
    ) throws -> OpenedDirectory {
        if options.createsDirectory { try StorageDirectory.create(path) }
        // First of all: the process that has the lock may replace files.
        let lock = try lock ?? ReplicaReplacement.lockAndInstall(at: path)
        let log = try WALDirectory(path: path)
        if !DataFile.exists(in: path), let damage = try WALInspection.damage(withoutDatabase: log) {
            throw damage.error
        }
        try dropCommitInDoubt(at: path, log: log, lock: lock)
        return OpenedDirectory(path: path, lock: lock, log: log)
    }

    /// Opens the database of a directory, or makes it, upgrades an older schema, and opens the write-ahead log.
    static func openDatabase(in directory: OpenedDirectory, options: Options) throws -> OpenedDatabase {
        let environment = try LMDBEnvironment(path: directory.path, options: environmentOptions(options))
        try directory.lock.claimDatabase()
        let stored = try upgrade(environment, options: options) ?? checkedIdentity(of: environment)
        let identity = try stored ?? initialize(environment)
        let tables = try Tables(environment, identity: identity, ifMissing: .create)
        let replica = try Self.replicaRecord(
            of: environment, tables: tables, isNew: stored == nil, exchange: options.exchange)
        let storedWAL = try environment.read { try tables.meta.storedWAL(in: $0) }
        let wal = try WriteAheadLog(directory: directory.log, epoch: identity.epoch, stored: storedWAL)
        try directory.log.renameFormerLog(lock: directory.lock)
        return OpenedDatabase(environment: environment, tables: tables, identity: identity, wal: wal, replica: replica)
    }

    // MARK: Recovery

    /// Returns true if the directory `path` must be opened for writing before it can be read. Its schema is an older
    /// one, or the server was killed, so that the write-ahead log has answered changes that the database lacks. Only
    /// while no process uses the directory.
    ///
    /// - Throws: `.corrupted` if the log has lost changes that were answered.
    package static func needsRecovery(at path: String) throws(RegistryError) -> Bool {
        do {
            // Its newest commit may not be whole, and is not read.
            if case .upTo = try WALInspection.durableCommits(in: WALDirectory(path: path)) { return true }
            let environment = try LMDBEnvironment(path: path, options: readingOptions)
            if let meta = try database("meta", of: environment),
                let schema = try environment.read({ try MetaTable(database: meta).schema(in: $0) }),
                SchemaUpgrade.olderSchemas.contains(schema)
            {
                return true
            }
        } catch {
            throw RegistryError(reading: error)
        }
        let inspection = try inspectLog(at: path, while: .unused).inspection
        if let damage = inspection.damage { throw damage.error }
        return inspection.scan.map { $0.recordCount > 0 } ?? false
    }

    /// Drops the newest commit of the database if it is in doubt: after a power cut it may not be whole, and the
    /// write-ahead log has its changes.
    ///
    /// - Parameter lock: the lock of the directory: no other process writes to the database.
    static func dropCommitInDoubt(at path: String, log directory: WALDirectory, lock: DirectoryLock) throws {
        defer { withExtendedLifetime(lock) {} }
        // If it is unknown which commits are durable, the log is missing or damaged, and the start is refused.
        guard case .upTo(let durable) = try WALInspection.durableCommits(in: directory) else { return }
        try DataFile.dropCommit(after: durable, in: path)
    }

    // MARK: The database

    static var readingOptions: LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.maximumDatabases = Tables.databaseCount
        result.isReadOnly = true
        return result
    }

    private static func environmentOptions(_ options: Options) -> LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.mapBytes = min(options.mapBytes, options.maximumMapBytes)
        result.maximumDatabases = Tables.databaseCount
        result.maximumReaders = options.maximumReaders
        result.createsDirectory = options.createsDirectory
        return result
    }

    /// Returns the state of the replica in a directory that no process uses.
    ///
    /// - Throws: `.corrupted` if the database belongs to no shared log.
    package static func replicaRecord(at path: String) throws(RegistryError) -> ReplicaRecord {
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        guard let record = try registry.readAfterCheckpoint({ try $1.meta.replicaRecord(in: $0) }) else {
            throw .corrupted("meta: the database belongs to no shared log")
        }
        return record
    }

    /// Returns the state of the replica, as the start needs it; nil without a shared log. A database that has left its
    /// cluster, and is opened without it, belongs to no cluster from now on.
    private static func replicaRecord(
        of environment: LMDBEnvironment, tables: Tables, isNew: Bool, exchange: ReplicaExchange?
    ) throws -> ReplicaRecord? {
        let stored = try environment.read { try tables.meta.replicaRecord(in: $0) }
        let known = stored ?? ReplicaRecord(hasForeignData: !isNew)
        switch StartRule.decide(known.state, among: known.live, isInCluster: exchange != nil) {
        case .refused(let sentence): throw RegistryError.refused(sentence)
        case .node:
            // The directory must keep this id until the first commit.
            if stored == nil { try environment.write { try tables.meta.putReplicaRecord(known, in: &$0) } }
            return known
        case .alone:
            guard stored != nil else { return nil }
            try environment.write { transaction in
                try tables.meta.putReplicaRecord(nil, in: &transaction)
                try tables.claims?.removeAll(in: &transaction)
            }
            return nil
        }
    }

    private static func initialize(_ environment: LMDBEnvironment) throws -> RegistryIdentity {
        let identity = RegistryIdentity.random()
        let meta = MetaTable(database: try environment.openDatabase("meta", ifMissing: .create))
        try environment.write { try meta.initialize(identity, in: &$0) }
        return identity
    }

    /// Upgrades a database of an older schema. Returns nil, without a change, if it has another one.
    private static func upgrade(_ environment: LMDBEnvironment, options: Options) throws -> RegistryIdentity? {
        guard let database = try database("meta", of: environment),
            let schema = try environment.read({ try MetaTable(database: database).schema(in: $0) }),
            SchemaUpgrade.olderSchemas.contains(schema)
        else { return nil }
        let upgrade = try SchemaUpgrade(environment, onUnreadable: options.onUnreadable)
        // The upgrade runs without the limit of the map, because the pages that it takes are free afterwards.
        return try environment.write(growingTo: 1 << 44) { try upgrade.run(in: &$0) }
    }

    /// Returns the identity of the database; nil if the database is new. Changes nothing.
    private static func checkedIdentity(of environment: LMDBEnvironment) throws -> RegistryIdentity? {
        if let database = try database("meta", of: environment) {
            let meta = MetaTable(database: database)
            let identity = try environment.read { transaction -> RegistryIdentity? in
                guard let schema = try meta.schema(in: transaction) else { return nil }
                return try Self.identity(of: meta, schema: schema, in: transaction)
            }
            if let identity { return identity }
        }
        // If the schema row is missing, the counters are missing too, and ids would be given twice.
        for name in try environment.databaseNames() {
            let database = try environment.openDatabase(name)
            guard try environment.read({ try $0.count(in: database) }) == 0 else {
                throw RegistryError.corrupted("meta: no schema, and \(name) is not empty")
            }
        }
        return nil
    }

    static func storedIdentity(of environment: LMDBEnvironment) throws -> RegistryIdentity {
        guard let database = try database("meta", of: environment) else {
            throw RegistryError.corrupted("meta: it is missing, this is not a registry")
        }
        let meta = MetaTable(database: database)
        return try environment.read { transaction in
            guard let schema = try meta.schema(in: transaction) else {
                throw RegistryError.corrupted("meta: no schema")
            }
            return try identity(of: meta, schema: schema, in: transaction)
        }
    }

    /// Returns a database of LMDB by its name; nil if no such database exists.
    private static func database(_ name: String, of environment: LMDBEnvironment) throws -> Database? {
        do throws(LMDBError) {
            return try environment.openDatabase(name)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private static func identity(
        of meta: MetaTable, schema: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> RegistryIdentity {
        guard schema == MetaTable.schema else {
            throw RegistryError.corrupted("meta: schema \(schema), this program reads \(MetaTable.schema)")
        }
        guard let identity = try meta.identity(in: transaction) else {
            throw RegistryError.corrupted("meta: no epoch, or no secret")
        }
        return identity
    }
}
