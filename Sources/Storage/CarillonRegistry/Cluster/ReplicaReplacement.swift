package import CarillonCluster
package import CarillonCore
import CarillonLMDB
import Glibc

/// Replaces the database of a replica by a snapshot, or by an empty one with the parameters of the log. This is needed
/// if the entries that the log still has do not continue the replica's own database.
///
/// LMDB's environment is not exchanged while a server uses it. The other database is made in the folder
/// `replacement.new` of the data directory, checked, and gets the name `replacement`. The next start puts it in its
/// place before LMDB is opened. However a process ends in between, the directory has one whole database.
package struct ReplicaReplacement {
    private static let unfinishedName = "replacement.new"
    private static let name = "replacement"
    private static let lockFile = "lock.mdb"

    private let path: String
    private var folder: String { "\(path)/\(Self.unfinishedName)" }

    /// The file of the other database, to be written by the caller.
    package var file: String { "\(folder)/\(DataFile.name)" }

    /// Begins a replacement of the database in a data directory; one that was begun before is removed.
    package init(of path: String) throws(RegistryError) {
        self.path = path
        Self.remove(folder)
        do {
            try StorageDirectory.create(folder)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    // MARK: Content

    /// Makes an empty database with the parameters of a log.
    ///
    /// - Parameter replicaID: the id of the data directory.
    package func makeEmpty(parameters: [UInt8], replicaID: UUIDBytes) throws(RegistryError) {
        try withEnvironment { environment in
            let identity = try RegistryIdentity(parameters: parameters)
            let meta = MetaTable(database: try environment.openDatabase("meta", ifMissing: .create))
            try environment.write { transaction in
                try meta.initialize(identity, in: &transaction)
                try meta.putReplicaRecord(ReplicaRecord(replicaID: replicaID, hasForeignData: false), in: &transaction)
            }
        }
    }

    /// Checks that ``file`` is a snapshot, and gives it the id of this data directory.
    ///
    /// - Throws: `.corrupted` if it is another state than the header says.
    package func adopt(
        _ snapshot: SnapshotHeader, of log: UUIDBytes, replicaID: UUIDBytes
    ) throws(RegistryError) {
        try withEnvironment { environment in
            _ = try RegistryIdentity(of: environment)
            let meta = MetaTable(database: try environment.openDatabase("meta"))
            guard var record = try environment.read({ try meta.replicaRecord(in: $0) }), record.state.log == log,
                record.state.applied == RunningHash(position: snapshot.position, value: snapshot.hash)
            else { throw RegistryError.corrupted("the snapshot is not of the state that its header says") }
            // The initial state of the log says where the data come from.
            record.replicaID = replicaID
            record.state.hasForeignData = false
            let adopted = record
            try environment.write { try meta.putReplicaRecord(adopted, in: &$0) }
        }
    }

    /// Completes the replacement: the next start puts it in its place.
    package func complete() throws(RegistryError) {
        do {
            unlink("\(folder)/\(Self.lockFile)")
            try StorageDirectory.syncFile(file)
            try StorageDirectory.sync(folder)
            guard rename(folder, "\(path)/\(Self.name)") == 0 else { throw LMDBError.ofErrno("rename") }
            try StorageDirectory.sync(path)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    private func withEnvironment(_ body: (LMDBEnvironment) throws -> Void) throws(RegistryError) {
        do {
            var options = LMDBEnvironment.Options()
            options.maximumDatabases = Tables.databaseCount
            // The map is as large as the file says.
            options.mapBytes = 1 << 20
            try body(LMDBEnvironment(path: folder, options: options))
        } catch {
            throw RegistryError(reading: error)
        }
    }

    // MARK: Start

    /// Locks a data directory, and puts a whole replacement in its place if there is one, else removes an
    /// unfinished one.
    static func lockAndInstall(at path: String) throws -> DirectoryLock {
        let whole = "\(path)/\(name)"
        var status = stat()
        let isThere = stat(whole, &status) == 0
        let lock = try DirectoryLock(path: path)
        guard isThere else {
            remove("\(path)/\(unfinishedName)")
            return lock
        }
        if DataFile.exists(in: whole) {
            // The write-ahead log belongs to the replaced database alone.
            try WALDirectory(path: path).removeLog()
            unlink("\(path)/\(lockFile)")
            guard rename("\(whole)/\(DataFile.name)", "\(path)/\(DataFile.name)") == 0 else {
                throw LMDBError.ofErrno("rename")
            }
            try StorageDirectory.sync(path)
        }
        remove(whole)
        try lock.claimReplacedDatabase()
        return lock
    }

    /// Removes a folder with the files of an LMDB environment; without effect if there is none.
    private static func remove(_ folder: String) {
        for file in [DataFile.name, lockFile] { unlink("\(folder)/\(file)") }
        rmdir(folder)
    }
}
