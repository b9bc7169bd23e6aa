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
        checkpointEnded(milliseconds: uptime().milliseconds(since: started))
    }

    /// Notes that a commit contains everything that was answered.
    func checkpointEnded(milliseconds: UInt64 = 0) {
        wal.rotateSegments()
        checkpointRule.checkpointEnded(at: uptime(), milliseconds: milliseconds)
        readGate.open()
    }

    /// Makes a checkpoint if it is due. No record may be under way.
    func checkpointIfDue() throws(WriterError) {
        if try decideCheckpoint() { try checkpoint() }
    }

    /// Notes a sync that has ended, and returns true if a checkpoint is due. No record may be under way.
    func decideCheckpoint() throws(WriterError) -> Bool {
        try endSync(waiting: false)
        guard let uncommitted else { return false }
        do {
            return checkpointRule.isDue(
                logBytes: wal.byteCount, changedDatabasePages: try uncommitted.transaction.changedPages(),
                readsWait: readGate.hasReaders, syncMode: nextSyncMode, at: uptime())
        } catch {
            throw fatal(error)
        }
    }

    /// Commits everything that is applied. No record may be under way. Reads are run while the last commit is synced,
    /// and while buffered rows are written.
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
    /// `overdraftBytes`. Returns false if the map cannot grow any more.
    func tryToGrowMap() throws(WriterError) -> Bool {
        let (maximumBytes, overflows) = options.maximumMapBytes.addingReportingOverflow(options.overdraftBytes)
        do {
            return try environment.tryToGrowMap(upTo: overflows ? options.maximumMapBytes : maximumBytes)
        } catch {
            throw fatal(error)
        }
    }
}

/// The way of commits to the disk: see ``CommitSyncer``.
extension Writer {
    var isSyncing: Bool { syncer.isUnderWay }

    var nextSyncMode: CheckpointRule.SyncMode { syncer.syncMode(of: uncommitted) }

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
