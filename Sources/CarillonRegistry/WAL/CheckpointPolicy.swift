/// Decides when changes are committed to the database, and when the write-ahead log is enough for now.
///
/// A commit writes every page that was changed, mostly one for each change. A record of the log is written in one
/// piece. So during bulk ingest, while nothing else comes, one commit serves many changes that share pages. Reads have
/// to wait for that commit. So while there are reads or other changes, each batch is committed at once, and no read
/// waits.
///
/// All times are milliseconds of uptime.
struct CheckpointPolicy {
    private let limits: LMDBRegistry.WALLimits
    /// Until when every batch is committed at once.
    private var commitsUntil: UInt64 = 0
    /// The changes that wait for their commit: their number, and since when. Nil if none waits.
    private var open: (changes: Int, since: UInt64)?
    /// When the log was used last; nil if it was not used since the last bulk ingest.
    private var lastAppended: UInt64?

    init(limits: LMDBRegistry.WALLimits) {
        self.limits = limits
    }

    /// There was a read, or a batch has a change that the log has no form for. Every batch is then committed at once
    /// for a while: for longer if the read had to wait for a commit, so that the next read does not wait soon again.
    mutating func otherWorkSeen(at now: UInt64) {
        let (end, overflows) = now.addingReportingOverflow(
            open == nil ? limits.quietMilliseconds : limits.backoffMilliseconds)
        commitsUntil = max(commitsUntil, overflows ? .max : end)
    }

    /// Returns true if the log alone may acknowledge this batch. The caller has checked that every change can be
    /// encoded. If false, the batch is committed, with all changes that wait.
    ///
    /// - Parameters:
    ///   - bytes: bytes of the log that wait already.
    ///   - pages: pages that were changed and are in memory already, about.
    func admits(changes: Int, bytes: Int, pages: Int, at now: UInt64) -> Bool {
        guard now >= commitsUntil, bytes <= limits.mostBytes, pages <= limits.mostPages else { return false }
        guard let open else { return changes >= limits.leastChanges && changes <= limits.mostChanges }
        return changes <= limits.mostChanges - open.changes && now >= open.since
            && now - open.since < limits.maximumDelayMilliseconds
    }

    /// So many changes were appended to the log and wait for their commit.
    mutating func appended(changes: Int, at now: UInt64) {
        open = ((open?.changes ?? 0) + changes, open?.since ?? now)
        lastAppended = now
    }

    /// Everything is committed.
    mutating func checkpointed() {
        open = nil
    }

    /// Returns true if bulk ingest ended so long ago that its caches are to be released. True once for each bulk
    /// ingest.
    mutating func bulkIngestHasEnded(at now: UInt64) -> Bool {
        guard let last = lastAppended, open == nil, now >= last, now - last >= limits.cacheLifetimeMilliseconds else {
            return false
        }
        lastAppended = nil
        return true
    }

    /// Milliseconds to wait for another batch before the changes that wait are committed; nil if none waits.
    var idleTimeoutMilliseconds: UInt64? { open == nil ? nil : limits.idleCommitMilliseconds }
}
