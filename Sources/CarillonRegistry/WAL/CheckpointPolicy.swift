import CarillonCore

/// The policy that decides when the open transaction is committed: the checkpoint.
///
/// Changes are durable by their record of the write-ahead log, so a checkpoint is never needed for an answer. It bounds
/// the memory of changed pages, the bytes of the log, and the time that a start takes. And it serves reads: long ones
/// need a snapshot that shows every answered change and wait for it; short ones no longer need the writer after it.
struct CheckpointPolicy {
    /// The reads that have come for the writer since the last checkpoint.
    struct Reads {
        /// True if long reads wait for a snapshot.
        var areWaiting = false
        /// True if the writer has run short reads.
        var wereRun = false
    }

    /// The way in which the next commit reaches the disk.
    enum Sync {
        /// The commit is synced while the writer goes on.
        case later
        /// The writer waits for the sync of the commit. Once another record is in the log, `later` is enough.
        case atOnce
        /// The commit must not begin before the last one is on the disk, whose sync is under way.
        case underWay
    }

    private let limits: LMDBRegistry.CheckpointLimits
    private let bulkIngest: LMDBRegistry.BulkIngestLimits
    /// The times at which the first and the last change came that no checkpoint contains; nil if every change is
    /// committed.
    private var open: (since: Uptime, until: Uptime)?
    /// The times until which long reads, and short reads, get no checkpoint of their own: otherwise they would take the
    /// writer for themselves.
    private var rests: (long: Uptime, short: Uptime) = (0, 0)
    /// The time at which bulk ingest was seen last; nil if its caches are released.
    private var lastBulkIngest: Uptime?

    init(limits: LMDBRegistry.CheckpointLimits, bulkIngest: LMDBRegistry.BulkIngestLimits) {
        (self.limits, self.bulkIngest) = (limits, bulkIngest)
    }

    /// Counts a batch that was applied.
    ///
    /// - Parameter changes: the number of its changes.
    mutating func changesApplied(_ changes: Int, at now: Uptime) {
        open = (open?.since ?? now, now)
        if isBulkIngest(changes: changes) { lastBulkIngest = now }
    }

    /// Returns true if a batch of `changes` changes belongs to bulk ingest, whose caches pay for themselves.
    func isBulkIngest(changes: Int) -> Bool { changes >= bulkIngest.minimumChanges }

    /// Returns true if the open transaction is to be committed now.
    ///
    /// - Parameters:
    ///   - bytes: bytes of the log since the last checkpoint.
    ///   - pages: roughly the pages that were changed since then.
    ///   - sync: the way in which the commit would reach the disk.
    func isDue(bytes: Int, pages: Int, reads: Reads, sync: Sync = .later, at now: Uptime) -> Bool {
        guard open != nil else { return false }
        let isDueByTime = due(for: reads).map { now >= $0 } ?? false
        guard case .later = sync else {
            // What waits has more room, so that the writer need not wait.
            let isFull = bytes > limits.logBytes * 2 || pages > maximumPages(at: now)
            return isFull || sync == .atOnce && isDueByTime
        }
        return isDueByTime || bytes > limits.logBytes || pages > checkpointPages(at: now)
    }

    /// Returns the number of changed pages above which a commit is due.
    private func checkpointPages(at now: Uptime) -> Int {
        isInBulkIngest(at: now) ? limits.bulkChangedPages : limits.changedPages
    }

    /// Returns the most changed pages that may wait: as many as make a commit due, plus half as many while the commit
    /// would have to wait for the disk.
    func maximumPages(at now: Uptime) -> Int {
        let pages = checkpointPages(at: now)
        return pages + pages / 2
    }

    /// Returns the milliseconds after which the writer is to look again if nothing comes; nil if everything is
    /// committed, or if the last commit is not on the disk yet: its end wakes the writer.
    func timeout(reads: Reads, sync: Sync = .later, at now: Uptime) -> UInt64? {
        sync == .underWay ? nil : due(for: reads)?.milliseconds(since: now)
    }

    /// Returns the time at which the open transaction is to be committed, whatever has changed; nil if every change is
    /// committed.
    private func due(for reads: Reads) -> Uptime? {
        guard let open else { return nil }
        var due = min(
            open.since.later(byMilliseconds: limits.delayMilliseconds),
            open.until.later(byMilliseconds: limits.idleCommitMilliseconds))
        if reads.areWaiting { due = min(due, rests.long) }
        // During bulk ingest a checkpoint takes long, so the writer runs the short reads itself.
        if reads.wereRun, !isInBulkIngest(at: open.until) { due = min(due, rests.short) }
        return due
    }

    /// Returns true if bulk ingest was seen a moment ago. During bulk ingest large checkpoints are cheap for each
    /// change. At other times small checkpoints delay other changes by a few milliseconds only.
    private func isInBulkIngest(at now: Uptime) -> Bool {
        guard let lastBulkIngest else { return false }
        return now.milliseconds(since: lastBulkIngest) < limits.delayMilliseconds
    }

    /// Notes that everything is committed.
    ///
    /// - Parameter duration: the milliseconds that it took.
    mutating func checkpointEnded(at now: Uptime, milliseconds duration: UInt64) {
        open = nil
        func rest(_ factor: UInt64, atLeast minimum: UInt64 = 0) -> Uptime {
            let (rest, overflows) = duration.multipliedReportingOverflow(by: factor)
            return now.later(byMilliseconds: max(minimum, min(overflows ? .max : rest, limits.delayMilliseconds)))
        }
        rests = (rest(Self.longRestFactor), rest(Self.shortRestFactor, atLeast: limits.shortReadRestMilliseconds))
    }

    /// The number of times as long as a checkpoint that the writer does other work before long reads get the next one.
    private static let longRestFactor: UInt64 = 3
    /// The number of times as long as a checkpoint that the writer does other work before short reads get the next one.
    private static let shortRestFactor: UInt64 = 9

    /// Returns true once after each bulk ingest, when it ended so long ago that its caches are to be released.
    mutating func takeEndOfBulkIngest(at now: Uptime) -> Bool {
        guard let last = lastBulkIngest, now.milliseconds(since: last) >= bulkIngest.cacheLifetimeMilliseconds else {
            return false
        }
        lastBulkIngest = nil
        return true
    }
}
