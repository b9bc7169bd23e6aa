import CarillonCore

/// Decides when the open transaction is committed, which is a checkpoint.
///
/// An answer does not wait for a checkpoint, because the write-ahead log makes its change durable. Checkpoints bound
/// three things: the memory of changed pages, the bytes of the log, and the time that a start takes to apply the log.
/// Long reads wait for a checkpoint too, because they need a snapshot that shows every answered change. Short reads do
/// not wait: the writer runs them.
///
/// Checkpoints are rare, because each delays the changes that come while it is made and while the disk writes its
/// pages. Rare checkpoints also write less: many changes between two checkpoints change the same pages.
struct CheckpointRule {
    /// The way to sync the next commit.
    enum SyncMode {
        /// The commit is synced while the writer goes on.
        case later
        /// The writer waits for the sync of the commit. After the next record of the log the commit may be synced
        /// `later` (``DeferredSyncRule``).
        case atOnce
        /// The last commit is being synced. The next one must not begin before it is on the disk.
        case underWay
    }

    private let limits: LMDBRegistry.CheckpointLimits
    /// The times at which the first and the last uncommitted change came; nil if every change is committed.
    private var uncommitted: (since: Uptime, until: Uptime)?
    /// The time from which long reads get a checkpoint of their own. Without a rest between such checkpoints they would
    /// take the writer for themselves.
    private var earliestReadCheckpoint: Uptime = 0

    init(limits: LMDBRegistry.CheckpointLimits) {
        self.limits = limits
    }

    /// Called when changes were applied.
    mutating func changesApplied(at now: Uptime) {
        uncommitted = (uncommitted?.since ?? now, now)
    }

    /// Returns true if the open transaction must be committed now.
    ///
    /// - Parameters:
    ///   - logBytes: bytes of the log since the last checkpoint.
    ///   - changedDatabasePages: roughly the pages of the database that were changed since then.
    ///   - readsWait: true if long reads wait for a snapshot.
    ///   - syncMode: the way in which the commit would reach the disk.
    func isDue(logBytes: Int, changedDatabasePages: Int, readsWait: Bool, syncMode: SyncMode = .later, at now: Uptime)
        -> Bool
    {
        guard uncommitted != nil else { return false }
        let isDueByTime = due(readsWait: readsWait).map { now >= $0 } ?? false
        guard case .later = syncMode else {
            // The writer would wait for the disk. So more changes than usual may wait for this commit.
            let isFull = logBytes > limits.logBytes * 2 || changedDatabasePages > maximumChangedDatabasePages
            return isFull || syncMode == .atOnce && isDueByTime
        }
        return isDueByTime || logBytes > limits.logBytes || changedDatabasePages > limits.changedDatabasePages
    }

    /// The most changed pages of the database that may wait while a commit would make the writer wait for the disk: one
    /// and a half times as many as make a commit due otherwise.
    var maximumChangedDatabasePages: Int { limits.changedDatabasePages + limits.changedDatabasePages / 2 }

    /// Returns the milliseconds after which the writer looks again if nothing comes; nil if everything is
    /// committed, or if the last commit is still being synced, because the end of the sync wakes the writer.
    func timeoutMilliseconds(readsWait: Bool, syncMode: SyncMode = .later, at now: Uptime) -> UInt64? {
        syncMode == .underWay ? nil : due(readsWait: readsWait)?.milliseconds(since: now)
    }

    /// Returns the time by which the open transaction must be committed, whatever has changed; nil if every change is
    /// committed.
    private func due(readsWait: Bool) -> Uptime? {
        guard let uncommitted else { return nil }
        let due = min(
            uncommitted.since.later(byMilliseconds: limits.delayMilliseconds),
            uncommitted.until.later(byMilliseconds: limits.idleCommitMilliseconds))
        return readsWait ? min(due, earliestReadCheckpoint) : due
    }

    /// Called when everything is committed.
    ///
    /// - Parameter duration: the milliseconds that it took.
    mutating func checkpointEnded(at now: Uptime, milliseconds duration: UInt64) {
        uncommitted = nil
        let (rest, overflows) = duration.multipliedReportingOverflow(by: Self.restFactor)
        earliestReadCheckpoint = now.later(byMilliseconds: min(overflows ? .max : rest, limits.delayMilliseconds))
    }

    /// The pause after a checkpoint, in which long reads get no other one, as a multiple of the time that the
    /// checkpoint took.
    private static let restFactor: UInt64 = 3
}
