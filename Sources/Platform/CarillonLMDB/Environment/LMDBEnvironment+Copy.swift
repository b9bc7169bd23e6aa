import CCarillonLMDB
import Glibc

/// Hot backups.
extension LMDBEnvironment {
    /// Writes a consistent, durable copy to `directory` while reads and writes go on: a hot backup.
    ///
    /// The directory is made if it is missing (mode 0700) and must not hold a `data.mdb`. `compacting` leaves free
    /// pages out, for more processor time. The copy is one long read: until its end the file grows with each
    /// change that is written, and ``growMap(to:)`` waits.
    ///
    /// - Throws: `.fileExists`; `.badTransaction` inside a write; else the error of writing, after the partial file was
    ///   removed.
    package func copy(to directory: String, compacting: Bool = false) throws(LMDBError) {
        try StorageDirectory.create(directory)
        let file = directory + "/data.mdb"
        if access(file, F_OK) == 0 { throw LMDBError(.fileExists, operation: "mdb_env_copy2") }
        do throws(LMDBError) {
            do throws(LMDBError) {
                try writeCopy(to: directory, compacting: compacting)
            } catch {
                // Another process has grown the map since it was last looked at.
                guard error.code == .mapResized else { throw error }
                unlink(file)
                try adoptMapSize()
                try writeCopy(to: directory, compacting: compacting)
            }
            // mdb_env_copy2 leaves its pages to the system's cache.
            try StorageDirectory.syncFile(file)
            try StorageDirectory.sync(directory)
        } catch {
            if error.code != .fileExists { unlink(file) }
            throw error
        }
    }

    private func writeCopy(to directory: String, compacting: Bool) throws(LMDBError) {
        // The copy enters the gate as a writer, because LMDB takes the writer's lock for a moment to copy the meta
        // pages (`mdb_env_copyfd0` in `mdb.c`).
        try gate.enter(.write)
        let flags = CUnsignedInt(compacting ? MDB_CP_COMPACT : 0)
        let result = mdb_env_copy2(handle, directory, flags)
        gate.leave(.write)
        try LMDBError.check(result, "mdb_env_copy2")
    }

    /// Waits until every commit that has returned is on the disk. May be called on any thread, beside a transaction.
    package func sync() throws(LMDBError) {
        // A sync does not enter the gate: LMDB syncs its file without reading the map, and a map that grows would wait.
        try LMDBError.check(mdb_env_sync(handle, 1), "mdb_env_sync")
    }
}
