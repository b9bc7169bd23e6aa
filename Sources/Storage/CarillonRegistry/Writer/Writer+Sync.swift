import CarillonCore
import CarillonLMDB

/// The way of commits to the disk: see ``CommitSyncer``.
extension Writer {
    /// True while a commit is being synced.
    var isSyncing: Bool { syncer.isUnderWay }

    /// The way in which the next commit reaches the disk.
    var nextSyncMode: CheckpointPolicy.SyncMode { syncer.syncMode(of: uncommitted) }

    /// Notes a commit that was synced; as ``CommitSyncer/endSync(waiting:)``.
    func endSync(waiting: Bool) throws(WriterError) {
        do throws(RegistryError) {
            try syncer.endSync(waiting: waiting)
        } catch {
            throw .fatal(error)
        }
    }

    /// Commits everything, and then once more without a change, and waits for the disk: a start goes on from the second
    /// commit whatever the records of the log say. So the records may be removed.
    func commitDurablyTwice() throws {
        try commit()
        try endSync(waiting: true)
        syncer.forbidDeferredSync()
        // A start drops the commit that follows the one named in the last record. The second commit is the next but
        // one, so it is not dropped.
        _ = try currentTransaction()
        try commit()
    }

    /// Removes the records of the log. All of them are committed.
    func removeRecords() throws {
        guard try wal.hasRecords else { return }
        try commitDurablyTwice()
        try wal.removeRecords()
    }
}
