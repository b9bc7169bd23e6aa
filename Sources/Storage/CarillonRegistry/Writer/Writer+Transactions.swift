import CarillonCore
import CarillonLMDB

/// The checkpoint: the commit of everything that is applied, when the ``CheckpointRule`` says that it is due.
extension Writer {
    /// Commits the changes that were applied since the last commit: everything that the log has.
    func commit() throws {
        guard uncommitted != nil else { return }
        let started = uptime()
        if !options.usesLog { wal.renewState() }
        try commit(reaching: wal.position)
        finishCheckpoint(milliseconds: uptime().milliseconds(since: started))
    }

    /// Begins a new segment of the log, and opens the gate for long reads, after a commit that contains everything that
    /// was answered.
    ///
    /// - Parameter milliseconds: how long the commit took.
    func finishCheckpoint(milliseconds: UInt64 = 0) {
        wal.rotateSegments()
        checkpointRule.checkpointEnded(at: uptime(), milliseconds: milliseconds)
        readGate.open()
    }

    /// Makes a checkpoint if it is due. The appender must be idle.
    func checkpointIfDue() throws(WriterError) {
        try endSyncIfDone()
        if try isCheckpointDue() { try checkpoint() }
    }

    /// Returns true if a checkpoint is due. The appender must be idle.
    func isCheckpointDue() throws(WriterError) -> Bool {
        guard let uncommitted else { return false }
        do {
            return checkpointRule.isDue(
                logBytes: wal.byteCount, changedDatabasePages: try uncommitted.transaction.changedPages(),
                readsWait: readGate.hasReaders, syncMode: nextSyncMode, at: uptime())
        } catch {
            throw fatal(error)
        }
    }

    /// Commits everything that is applied. The appender must be idle. Reads are run while the last commit is
    /// synced, and while buffered rows are written.
    func checkpoint() throws(WriterError) {
        guard uncommitted != nil else { return }
        while isSyncing, queue.waitForEndOrReads(of: .sync) == .readsCame { try serveReadsAlone() }
        do {
            while let uncommitted, try context.flushSomeBufferedRows(in: &uncommitted.transaction) == .incomplete {
                if areReadsDue { try serveReads() }
            }
            try commit()
        } catch {
            try rollBackAndReplay(after: error)
        }
    }

    /// Doubles the map for changes that are in the write-ahead log already. It may exceed its limit by
    /// `overdraftBytes`. Returns false if the map can grow no further.
    func tryToGrowMap() throws(WriterError) -> Bool {
        let (maximumBytes, overflows) = options.maximumMapBytes.addingReportingOverflow(options.overdraftBytes)
        do {
            return try environment.tryToGrowMap(upTo: overflows ? options.maximumMapBytes : maximumBytes)
        } catch {
            throw fatal(error)
        }
    }
}

/// Syncs commits to the disk, with ``CommitSyncer``.
extension Writer {
    var isSyncing: Bool { syncer.isUnderWay }

    var nextSyncMode: CheckpointRule.SyncMode { syncer.syncMode(of: uncommitted) }

    /// Ends the sync of the last commit if it is done; as ``CommitSyncer/endSyncIfDone()``.
    func endSyncIfDone() throws(WriterError) {
        do throws(RegistryError) {
            try syncer.endSyncIfDone()
        } catch {
            throw .fatal(error)
        }
    }

    /// Waits for the sync of the last commit; as ``CommitSyncer/awaitSync()``.
    func awaitSync() throws(WriterError) {
        do throws(RegistryError) {
            try syncer.awaitSync()
        } catch {
            throw .fatal(error)
        }
    }

    /// Commits everything, and then once more without a change, and waits for the disk: a start goes on from the second
    /// commit whatever the records of the log say. So the records may be removed.
    func commitDurablyTwice() throws {
        try commit()
        try awaitSync()
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
