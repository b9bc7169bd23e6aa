import CarillonCore
import CarillonLMDB

/// The open transaction: checkpoint and rollback.
extension Writer {
    /// Returns the transaction that is open, or opens a new one.
    func openTransaction() throws -> OpenWriteTransaction {
        if let uncommitted { return uncommitted }
        let begun = try OpenWriteTransaction(environment)
        uncommitted = begun
        return begun
    }

    /// Commits the changes that were applied since the last commit: everything that the log has.
    func commit() throws {
        guard uncommitted != nil else { return }
        let started = uptime()
        if !options.usesLog { wal.changeState() }
        try commit(reaching: wal.position)
        checkpointEnded(milliseconds: uptime().milliseconds(since: started))
    }

    /// Commits the changes that were applied, up to a position in the write-ahead log. The sync is deferred if it may
    /// be.
    func commit(reaching position: WALPosition) throws {
        guard let uncommitted else { return }
        try context.flush(in: &uncommitted.transaction)
        try tables.meta.putWALPosition(position, in: &uncommitted.transaction)
        if let replica { try tables.meta.putReplica(replica.record, in: &uncommitted.transaction) }
        try endSync(waiting: true)
        try syncer.commit(uncommitted)
        self.uncommitted = nil
        context.transactionCommitted()
    }

    /// Notes that a commit contains everything that was answered.
    func checkpointEnded(milliseconds: UInt64 = 0) {
        wal.rotateSegments()
        checkpointPolicy.checkpointEnded(at: uptime(), milliseconds: milliseconds)
        readGate.open()
    }

    /// Commits everything if the policy says so. No record may be under way.
    func checkpointIfDue() throws(WriterError) {
        if try isCheckpointDue() { try checkpoint() }
    }

    /// Returns true if the policy says that everything is to be committed. No record may be under way.
    func isCheckpointDue() throws(WriterError) -> Bool {
        try endSync(waiting: false)
        guard let uncommitted else { return false }
        do {
            return checkpointPolicy.isDue(
                logBytes: wal.byteCount, changedDatabasePages: try uncommitted.transaction.changedPages(),
                readsWait: readGate.hasReaders, sync: nextSync, at: uptime())
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
            while let uncommitted, try context.flushSomeBufferedRows(in: &uncommitted.transaction) {
                if areReadsDue { try serveReads() }
            }
            try commit()
        } catch {
            try rollBackAndReplay(after: error)
        }
    }

    /// Aborts the open transaction, and drops the caches, which are read again.
    func abortTransaction() {
        readGate.closeForAllReads()
        uncommitted?.abort()
        uncommitted = nil
        context.transactionAborted()
    }

    /// Doubles the map for changes that are in the write-ahead log already: by a bounded number of bytes also beyond
    /// its limit. Returns false if it has reached its end.
    func growMap() throws(WriterError) -> Bool {
        let (maximumBytes, overflows) = options.maximumMapBytes.addingReportingOverflow(options.overdraftBytes)
        do {
            return try environment.growMap(upTo: overflows ? options.maximumMapBytes : maximumBytes)
        } catch {
            throw fatal(error)
        }
    }
}
