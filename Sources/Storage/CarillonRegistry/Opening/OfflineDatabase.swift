package import CarillonCore
import CarillonLMDB

/// The database of a data directory that no process uses.
package struct OfflineDatabase {
    private let path: String

    package init(at path: String) {
        self.path = path
    }

    // MARK: Reading

    /// Returns true if the directory must be opened for writing before it can be read. Its schema is an older one, or
    /// the server was killed, so that the write-ahead log has answered changes that the database lacks.
    ///
    /// - Throws: `.corrupted` if the log has lost changes that were answered.
    package func needsRecovery() throws(RegistryError) -> Bool {
        let isCertain = try RegistryError.whileReading { () throws -> Bool in
            // The newest commit of the database may not be whole, so nothing is read from the database.
            if case .upTo = try WALInspection.durableCommits(in: WALDirectory(path: path)) { return true }
            let environment = try LMDBEnvironment(path: path, options: Tables.readingOptions)
            guard let meta = try MetaTable(in: environment),
                let schema = try environment.read({ try meta.schema(in: $0) })
            else { return false }
            return SchemaUpgrade.olderSchemas.contains(schema)
        }
        if isCertain { return true }
        let inspection = try InspectedLog(at: path, while: .unused).inspection
        if let damage = inspection.damage { throw damage.error }
        return inspection.scan.map { $0.recordCount > 0 } ?? false
    }

    /// Returns the state of the replica.
    ///
    /// - Throws: `.corrupted` if the database belongs to no shared log.
    package func replicaRecord() throws(RegistryError) -> ReplicaRecord {
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        guard let record = try registry.readAfterCheckpoint({ try $1.meta.replicaRecord(in: $0) }) else {
            throw .corrupted("meta: the database belongs to no shared log")
        }
        return record
    }

    // MARK: The log

    /// Stores that the database relies on no write-ahead log: it is a copy.
    ///
    /// - Parameter keepsReplica: false to store that it belongs to no cluster either.
    func detachLog(keepsReplica: Bool = true) throws(RegistryError) {
        try putLogSecret(nil, keepsReplica: keepsReplica)
    }

    /// Stores the secret of the log on which the database relies, in a new commit.
    func putLogSecret(_ secret: UInt64?, keepsReplica: Bool = true) throws(RegistryError) {
        try RegistryError.whileReading {
            var options = LMDBEnvironment.Options()
            options.maximumDatabases = Tables.databaseCount
            // The map is as large as the file says.
            options.mapBytes = 1
            let environment = try LMDBEnvironment(path: path, options: options)
            let meta = MetaTable(database: try environment.openDatabase("meta"))
            let claims = keepsReplica ? nil : ClaimTable(in: environment)
            try environment.write { transaction in
                try meta.putLogSecret(secret, in: &transaction)
                if !keepsReplica { try meta.putReplicaRecord(nil, in: &transaction) }
                try claims?.removeAll(in: &transaction)
                // Even if nothing changes, there is a new commit.
                try meta.putWALPosition(try meta.storedWAL(in: transaction).position, in: &transaction)
            }
        }
    }
}
