import CarillonCluster
import CarillonCore
import CarillonLMDB

/// The database and the write-ahead log of a directory, as a start has opened them before its writer begins.
struct OpenedDatabase {
    let environment: LMDBEnvironment
    let tables: Tables
    let identity: RegistryIdentity
    let wal: WriteAheadLog
    /// The state of the replica; nil if the database is made from no shared log.
    let replica: ReplicaRecord?

    /// Opens the database of a directory, or makes it, upgrades an older schema, and opens the write-ahead log.
    init(in directory: OpenedDirectory, options: LMDBRegistry.Options) throws {
        let environment = try LMDBEnvironment(path: directory.path, options: Self.environmentOptions(options))
        try directory.lock.claimDatabase()
        let stored = try Self.upgrade(environment, options: options) ?? Self.checkedIdentity(of: environment)
        let identity = try stored ?? Self.initialize(environment)
        let tables = try Tables(environment, identity: identity, ifMissing: .create)
        replica = try Self.replicaRecord(
            of: environment, tables: tables, isNew: stored == nil, exchange: options.exchange)
        let storedWAL = try environment.read { try tables.meta.storedWAL(in: $0) }
        wal = try WriteAheadLog(directory: directory.log, epoch: identity.epoch, stored: storedWAL)
        try directory.log.renameFormerLog(lock: directory.lock)
        self.environment = environment
        self.tables = tables
        self.identity = identity
    }

    /// Returns the context of a replica's writer; nil for a registry that keeps a log of its own.
    func replicaContext(over exchange: ReplicaExchange?, at now: Uptime) -> ReplicaContext? {
        guard let replica, let exchange else { return nil }
        return ReplicaContext(exchange, record: replica, at: now)
    }

    /// The settings in the database; nil if the database has none, or if they cannot be read.
    var storedSettings: RegistrySettings? {
        // Why try?: settings that cannot be read are replaced.
        try? environment.read { (transaction) throws in try tables.meta.settings(in: transaction) }
    }

    private static func environmentOptions(_ options: LMDBRegistry.Options) -> LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.mapBytes = min(options.mapBytes, options.maximumMapBytes)
        result.maximumDatabases = Tables.databaseCount
        result.maximumReaders = options.maximumReaders
        result.createsDirectory = options.createsDirectory
        return result
    }

    // MARK: The identity

    private static func initialize(_ environment: LMDBEnvironment) throws -> RegistryIdentity {
        let identity = RegistryIdentity.random()
        let meta = MetaTable(database: try environment.openDatabase("meta", ifMissing: .create))
        try environment.write { try meta.initialize(identity, in: &$0) }
        return identity
    }

    /// Upgrades a database of an older schema. Returns nil, without a change, if it has another one.
    private static func upgrade(
        _ environment: LMDBEnvironment, options: LMDBRegistry.Options
    ) throws -> RegistryIdentity? {
        guard let meta = try MetaTable(in: environment),
            let schema = try environment.read({ try meta.schema(in: $0) }), SchemaUpgrade.olderSchemas.contains(schema)
        else { return nil }
        let upgrade = try SchemaUpgrade(environment, onUnreadable: options.onUnreadable)
        // The upgrade runs without the limit of the map, because the pages that it takes are free afterwards.
        return try environment.write(growingTo: 1 << 44) { try upgrade.run(in: &$0) }
    }

    /// Returns the identity of the database; nil if the database is new. Changes nothing.
    private static func checkedIdentity(of environment: LMDBEnvironment) throws -> RegistryIdentity? {
        if let meta = try MetaTable(in: environment) {
            let identity = try environment.read { transaction -> RegistryIdentity? in
                guard let schema = try meta.schema(in: transaction) else { return nil }
                return try RegistryIdentity(meta, schema: schema, in: transaction)
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

    // MARK: The replica

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
}
