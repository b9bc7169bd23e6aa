import CarillonCore
import CarillonLMDB

/// The write-ahead log of a data directory, and the state of the log that the database stores, as tools read both.
struct InspectedLog {
    /// The state of the directory: whether a process uses it.
    enum DirectoryState {
        /// A server uses the directory.
        case served
        /// No process uses the directory.
        case unused
        /// The caller has the lock of the directory.
        case locked(DirectoryLock)
    }

    let inspection: WALInspection
    /// The state of the log that the database stores.
    let stored: StoredWAL
    let directory: WALDirectory

    /// Inspects the log of a directory. Unless a server uses the directory, the newest commit of the database is
    /// dropped first if the log says that it may not be on the disk.
    ///
    /// - Throws: `.corrupted` if there is no database of this schema, `.storageFailed` if a file cannot be read.
    init(at path: String, while state: DirectoryState) throws(RegistryError) {
        let directory = try WALDirectory(path: path)
        if !DataFile.exists(in: path), let damage = try WALInspection.damage(withoutDatabase: directory) {
            throw damage.error
        }
        try RegistryError.whileReading {
            switch state {
            case .locked(let lock): try WALInspection.dropCommitInDoubt(in: directory, lock: lock)
            case .unused:
                guard case .upTo = try WALInspection.durableCommits(in: directory) else { return }
                try WALInspection.dropCommitInDoubt(in: directory, lock: DirectoryLock(path: path))
            case .served: break
            }
        }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        let stored = try registry.readAfterCheckpoint { try $1.meta.storedWAL(in: $0) }
        inspection = try WALInspection(directory, epoch: registry.epoch, stored: stored, isReadOnly: true)
        self.stored = stored
        self.directory = directory
    }
}
