package import CarillonCore
import CarillonLMDB

/// Reads for operators and their program `carillon-dump`: archives, single facts, verification and copies.
extension LMDBRegistry {
    /// Returns the settings that are stored; the defaults if none are stored.
    package func settings() throws(RegistryError) -> RegistrySettings {
        try readCurrent { transaction, tables in try tables.meta.settings(in: transaction) ?? RegistrySettings() }
    }

    // MARK: Archives

    /// Returns the apps of the registry, by name.
    package func apps() throws(RegistryError) -> [AppID] {
        try readAfterCheckpoint { transaction, tables in
            var apps: [AppID] = []
            try tables.apps.forEach(in: transaction) { app, _ in apps.append(app) }
            return apps
        }
    }

    /// Returns the apps by the numbers that findings name.
    package func appNumbers() throws(RegistryError) -> [UInt32: AppID] {
        try readAfterCheckpoint { transaction, tables in
            var apps: [UInt32: AppID] = [:]
            try tables.apps.forEach(in: transaction) { app, record in apps[record.number] = app }
            return apps
        }
    }

    /// Returns the id that the next device of an app gets; nil if there is no such app.
    package func nextDevice(of app: AppID) throws(RegistryError) -> DeviceID? {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).map { DeviceID(rawValue: $0.nextDevice) }
        }
    }

    /// Returns the number of rows that an archive of an app has. Goes through all of its groups, addresses and
    /// tombstones.
    package func archiveCounts(of app: AppID) throws(RegistryError) -> ArchiveCounts {
        try readAfterCheckpoint { transaction, tables in
            try ArchivedRowReader(app: app, tables: tables, in: transaction)?.counts(in: transaction)
                ?? ArchiveCounts()
        }
    }

    /// Returns devices with all that they hold, active and quarantined, ascending by id, after `id`; at most `limit`,
    /// taken as 1 to 4,096.
    package func archivedDevices(
        of app: AppID, after id: DeviceID?, limit: Int
    ) throws(RegistryError) -> [ArchivedDevice] {
        try readAfterCheckpoint { transaction, tables in
            try ArchivedRowReader(app: app, tables: tables, in: transaction)?
                .devices(after: id, limit: limit, in: transaction) ?? []
        }
    }

    /// Returns the groups with a device or a topic, ascending, after `name`, out of the next `limit` groups. Returns
    /// also the last group that was looked at; nil if no group follows.
    package func archivedGroups(
        of app: AppID, after name: GroupName?, limit: Int
    ) throws(RegistryError) -> (rows: [ArchivedGroup], last: GroupName?) {
        try readAfterCheckpoint { transaction, tables in
            guard let reader = try ArchivedRowReader(app: app, tables: tables, in: transaction) else {
                return ([], nil)
            }
            return try reader.groups(after: name, limit: limit, in: transaction)
        }
    }

    /// Returns tombstones in the order of their addresses, after `address`; at most `limit`, taken as 1 to 4,096.
    package func archivedTombstones(
        of app: AppID, after address: DeviceAddress?, limit: Int
    ) throws(RegistryError) -> [ArchivedTombstone] {
        try readAfterCheckpoint { transaction, tables in
            try ArchivedRowReader(app: app, tables: tables, in: transaction)?
                .tombstones(after: address, limit: limit, in: transaction) ?? []
        }
    }

    // MARK: Single facts

    /// Returns the details of a message; nil if the app has no such message.
    package func details(of message: MessageID, app: AppID) throws(RegistryError) -> MessageDetails? {
        try readAfterCheckpoint { transaction, tables in
            try MessageReader(message, app: app, tables: tables, in: transaction)?.details(in: transaction)
        }
    }

    /// Returns the number of groups that are subscribed to a topic, and `limit` of them by name: those with the lowest
    /// set numbers. Reads the topics of all groups of all apps.
    package func subscribingGroups(
        of topic: TopicName, app: AppID, limit: Int
    ) throws(RegistryError) -> (groups: [GroupName], total: Int) {
        try readAfterCheckpoint { transaction, tables in
            guard let reader = try SetReader(app: app, tables: tables, in: transaction) else { return ([], 0) }
            return try reader.groups(subscribedTo: topic, limit: limit, in: transaction)
        }
    }

    package func quarantinedSince(_ device: DeviceID, of app: AppID) throws(RegistryError) -> Timestamp? {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).flatMap {
                try tables.quarantine.get(device, app: $0.number, in: transaction)
            }
        }
    }

    /// Returns the times at which the provider accepted the last silent pushes to a device, ascending.
    package func silentPushes(to device: DeviceID, of app: AppID) throws(RegistryError) -> [Timestamp] {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).map {
                try tables.silentPushes.get(device, app: $0.number, in: transaction)
            }
                ?? []
        }
    }

    // MARK: Verification

    /// Checks everything stored against everything else. A sound registry has no findings.
    ///
    /// Reads all of it in one snapshot: for a quiet registry, or a copy.
    ///
    /// - Throws: `.corrupted` for a record that cannot be read at all, `.storageFailed` for a failed read.
    package func verify() throws(RegistryError) -> [Finding] {
        try readAfterCheckpoint { transaction, tables in
            var verifier = Verifier(tables: tables)
            try verifier.run(in: transaction)
            return verifier.findings
        }
    }

    /// Checks the file itself, page by page and key by key, and then as ``verify()`` does. For a file without a writer.
    ///
    /// - Throws: as ``verify()``.
    package func verifyFile() throws(RegistryError) -> [Finding] {
        let findings = try withEnvironment { environment, tables in
            var verifier = Verifier(tables: tables)
            try verifier.checkFile(of: environment)
            return verifier.findings
        }
        return findings + (try verify())
    }

    // MARK: Copies

    /// Writes a consistent, durable copy of everything into `directory`, which must not hold a database yet, while a
    /// server goes on. It works like ``CarillonLMDB/LMDBEnvironment/copy(to:compacting:)``. The copy does not rely on a
    /// write-ahead log, and belongs to no cluster.
    ///
    /// - Throws: `.storageFailed`, also if the server was started again during the copy: a start may drop the commit
    ///   that is being copied.
    package func copy(to directory: String, compacting: Bool) throws(RegistryError) {
        try copy(to: directory, compacting: compacting, keepsReplica: false)
    }

    /// Writes a compact copy, as ``copy(to:compacting:)`` does, that stays a replica of the cluster's log: a snapshot
    /// for another node.
    package func copyReplica(to directory: String) throws(RegistryError) {
        try copy(to: directory, compacting: true, keepsReplica: true)
    }

    private func copy(to directory: String, compacting: Bool, keepsReplica: Bool) throws(RegistryError) {
        try waitForCheckpoint()
        try withEnvironment { environment, tables in
            let startCount = try environment.read { try tables.meta.startCount(in: $0) }
            try environment.copy(to: directory, compacting: compacting)
            guard try environment.read({ try tables.meta.startCount(in: $0) }) == startCount else {
                throw RegistryError.storageFailed("the server was started again during the copy: copy again")
            }
            try OfflineDatabase(at: directory).detachLog(keepsReplica: keepsReplica)
        }
    }
}
