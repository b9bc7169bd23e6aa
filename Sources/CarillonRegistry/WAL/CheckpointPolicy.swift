/// Decides when the open transaction is committed: the checkpoint.
///
/// Changes are durable by their record of the write-ahead log, so a checkpoint is never needed for an answer. It bounds
/// the memory of changed pages, the bytes of the log, and the time that a start takes. And it serves reads: long ones
/// need a snapshot that shows every answered change and wait for it; short ones no longer need the writer after it.
///
/// All times are milliseconds of uptime.
struct CheckpointPolicy {
    /// What has come for the writer besides changes since the last checkpoint.
    struct Reads {
        /// Long reads wait for a snapshot.
        var areWaiting = false
        /// The writer has run short reads.
        var wereRun = false
    }

    private let limits: LMDBRegistry.WALLimits
    /// When the first and the last change came that no checkpoint contains; nil if there is none.
    private var open: (since: UInt64, until: UInt64)?
    /// Until when long reads do not get a checkpoint of their own, and until when short ones do not: they would take the
    /// writer for themselves.
    private var rests: (long: UInt64, short: UInt64) = (0, 0)
    /// When bulk ingest was seen last; nil if its caches are released.
    private var lastBulkIngest: UInt64?

    init(limits: LMDBRegistry.WALLimits) {
        self.limits = limits
    }

    /// A batch was applied.
    ///
    /// - Parameter changes: the number of its changes.
    mutating func applied(changes: Int, at now: UInt64) {
        open = (open?.since ?? now, now)
        if isBulkIngest(changes: changes) { lastBulkIngest = now }
    }

    /// Returns true if a batch of so many changes belongs to bulk ingest, whose caches pay for themselves.
    func isBulkIngest(changes: Int) -> Bool { changes >= limits.bulkChanges }

    /// Returns true if the open transaction is to be committed now.
    ///
    /// - Parameters:
    ///   - bytes: bytes of the log since the last checkpoint.
    ///   - pages: pages that were changed since then, about.
    ///   - isSyncing: true if the last commit is not on the disk yet. The next one must wait for it, so it has time until
    ///     its limits are reached twice.
    func isDue(bytes: Int, pages: Int, reads: Reads, isSyncing: Bool = false, at now: UInt64) -> Bool {
        guard open != nil else { return false }
        if isSyncing { return bytes > limits.mostBytes * 2 || pages > limits.mostPagesWhileSyncing }
        let mostPages = isInBulkIngest(at: now) ? limits.mostPages : limits.fewPages
        return bytes > limits.mostBytes || pages > mostPages || due(for: reads).map { now >= $0 } ?? false
    }

    /// Milliseconds after which the writer is to look again if nothing comes; nil if everything is committed, or if the
    /// last commit is not on the disk yet: its end wakes the writer.
    func timeout(reads: Reads, isSyncing: Bool = false, at now: UInt64) -> UInt64? {
        guard !isSyncing else { return nil }
        return due(for: reads).map { $0 > now ? $0 - now : 0 }
    }

    /// When the open transaction is to be committed, whatever has changed; nil if there is none.
    private func due(for reads: Reads) -> UInt64? {
        guard let open else { return nil }
        var due = min(
            Self.sum(open.since, limits.maximumDelayMilliseconds), Self.sum(open.until, limits.idleCommitMilliseconds))
        if reads.areWaiting { due = min(due, rests.long) }
        // During bulk ingest a checkpoint is long, and short reads are better off with the writer.
        if reads.wereRun, !isInBulkIngest(at: open.until) { due = min(due, rests.short) }
        return due
    }

    private static func sum(_ time: UInt64, _ duration: UInt64) -> UInt64 {
        let (sum, overflows) = time.addingReportingOverflow(duration)
        return overflows ? .max : sum
    }

    /// Returns true if bulk ingest was seen a moment ago. Large checkpoints are cheap by the change then; otherwise small
    /// ones delay what comes meanwhile for a few milliseconds only.
    private func isInBulkIngest(at now: UInt64) -> Bool {
        guard let lastBulkIngest else { return false }
        return now < lastBulkIngest || now - lastBulkIngest < limits.maximumDelayMilliseconds
    }

    /// Everything is committed.
    ///
    /// - Parameter duration: the milliseconds that it took.
    mutating func checkpointed(at now: UInt64, duration: UInt64) {
        open = nil
        func rest(_ factor: UInt64) -> UInt64 {
            let (rest, overflows) = duration.multipliedReportingOverflow(by: factor)
            return Self.sum(now, min(overflows ? .max : rest, limits.maximumDelayMilliseconds))
        }
        rests = (rest(Self.longRestFactor), rest(Self.shortRestFactor))
    }

    /// How many times as long as a checkpoint the writer does other work before long reads get the next one, and before
    /// short ones do.
    private static let (longRestFactor, shortRestFactor): (UInt64, UInt64) = (3, 9)

    /// Returns true if bulk ingest ended so long ago that its caches are to be released. True once for each bulk
    /// ingest.
    mutating func bulkIngestHasEnded(at now: UInt64) -> Bool {
        guard let last = lastBulkIngest, now >= last, now - last >= limits.cacheLifetimeMilliseconds else {
            return false
        }
        lastBulkIngest = nil
        return true
    }
}
