import CarillonCore
import CarillonLMDB

/// A data directory that this process has locked, and whose newest commit is whole.
struct OpenedDirectory {
    let path: String
    let lock: DirectoryLock
    let log: WALDirectory

    /// Locks the directory, makes it if the options say so, and repairs what a killed process has left.
    ///
    /// - Parameter lock: the lock of the directory, if the caller holds it already.
    init(path: String, options: LMDBRegistry.Options, lock: DirectoryLock?) throws {
        if options.createsDirectory { try StorageDirectory.create(path) }
        // First of all: the process that has the lock may replace files.
        let lock = try lock ?? ReplicaReplacement.lockAndInstall(at: path)
        let log = try WALDirectory(path: path)
        if !DataFile.exists(in: path), let damage = try WALInspection.damage(withoutDatabase: log) {
            throw damage.error
        }
        try WALInspection.dropCommitInDoubt(in: log, lock: lock)
        self.path = path
        self.lock = lock
        self.log = log
    }
}
