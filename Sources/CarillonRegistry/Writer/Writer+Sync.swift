import CarillonCore
import CarillonLMDB

/// How commits reach the disk: a thread syncs each while the writer goes on, and the log can do without it until then.
extension Writer {
    /// Starts the thread that syncs commits.
    func startSyncer() throws {
        let environment = environment
        syncer = try HelperThread(.sync, of: queue) { number in
            do throws(LMDBError) {
                try environment.sync()
                return .success(number)
            } catch {
                return .failure(.storageFailed(error.description + SpaceMonitor.hint(environment)))
            }
        }
    }

    /// True while a commit is being synced.
    var isSyncing: Bool { syncer?.isUnderWay ?? false }

    /// Takes note of a commit that was synced.
    ///
    /// - Parameter waiting: true to wait for it, false to do so only if it has ended.
    /// - Throws: if it could not be: what the disk has of it is unknown.
    func endSync(waiting: Bool) throws(Failure) {
        guard isSyncing, let syncer, waiting || syncer.isDone else { return }
        do throws(RegistryError) {
            deferredSync.durableCommit = try syncer.end()
        } catch {
            throw Failure(error: error, isFatal: true)
        }
    }

    /// How the next commit reaches the disk.
    var nextSync: CheckpointPolicy.Sync {
        if isSyncing { return .underWay }
        // Without a thread that syncs, waiting for the next record would not help.
        guard syncer != nil, let open, !deferredSync.mayDeferSync(of: open.transaction.number) else { return .later }
        return .atOnce
    }

    /// Makes the newest commit contain everything and be on the disk, so that a start goes on from it whatever the
    /// records of the log say: they may be removed then.
    func commitDurablyTwice() throws {
        try commit()
        try endSync(waiting: true)
        deferredSync.forbidDeferredSync()
        // Why: a start compares the numbers of commits. This one has no changes and is two behind the last record.
        _ = try openTransaction()
        try commit()
    }

    /// Removes the records of the log, all of which are committed.
    func removeRecords() throws {
        guard try wal.hasRecords else { return }
        try commitDurablyTwice()
        try wal.removeRecords()
    }
}
