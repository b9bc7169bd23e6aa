/// Decides when the open transaction is committed: the checkpoint.
///
/// Changes are durable by their record of the write-ahead log, so a checkpoint is never needed for an answer. It bounds
/// the memory of changed pages, the bytes of the log, and the time that a start takes. And reads that are too long for
/// the writer wait for it: they need a snapshot that shows every answered change.
///
/// All times are milliseconds of uptime.
struct CheckpointPolicy {
    private let limits: LMDBRegistry.WALLimits
    /// When the first change came that no checkpoint contains; nil if there is none.
    private var openSince: UInt64?
    /// Until when readers do not get a checkpoint of their own: they would take the writer for themselves.
    private var restsUntil: UInt64 = 0
    /// When bulk ingest was seen last; nil if its caches are released.
    private var lastBulkIngest: UInt64?

    init(limits: LMDBRegistry.WALLimits) {
        self.limits = limits
    }

    /// A batch was applied.
    ///
    /// - Parameter changes: the number of its changes.
    mutating func applied(changes: Int, at now: UInt64) {
        if openSince == nil { openSince = now }
        if isBulkIngest(changes: changes) { lastBulkIngest = now }
    }

    /// Returns true if a batch of so many changes belongs to bulk ingest, whose caches pay for themselves.
    func isBulkIngest(changes: Int) -> Bool { changes >= limits.bulkChanges }

    /// Returns true if the open transaction is to be committed now.
    ///
    /// - Parameters:
    ///   - bytes: bytes of the log since the last checkpoint.
    ///   - pages: pages that were changed since then, about.
    ///   - hasReaders: reads wait for a snapshot.
    func isDue(bytes: Int, pages: Int, hasReaders: Bool, at now: UInt64) -> Bool {
        guard let openSince else { return false }
        let mostPages = isInBulkIngest(at: now) ? limits.mostPages : limits.fewPages
        return bytes > limits.mostBytes || pages > mostPages || hasReaders && now >= restsUntil
            || now >= openSince && now - openSince >= limits.maximumDelayMilliseconds
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
        openSince = nil
        let (rest, overflows) = duration.multipliedReportingOverflow(by: Self.restFactor)
        restsUntil = now + min(overflows ? .max : rest, limits.maximumDelayMilliseconds)
    }

    /// How many times as long as a checkpoint the writer does other work before readers get the next one.
    private static let restFactor: UInt64 = 3

    /// Returns true if bulk ingest ended so long ago that its caches are to be released. True once for each bulk
    /// ingest.
    mutating func bulkIngestHasEnded(at now: UInt64) -> Bool {
        guard let last = lastBulkIngest, now >= last, now - last >= limits.cacheLifetimeMilliseconds else {
            return false
        }
        lastBulkIngest = nil
        return true
    }

    /// Milliseconds after which the writer is to look again if nothing comes; nil if everything is committed.
    ///
    /// - Parameter hasReaders: reads wait for a snapshot.
    func timeout(hasReaders: Bool, at now: UInt64) -> UInt64? {
        guard openSince != nil else { return nil }
        return hasReaders ? (restsUntil > now ? restsUntil - now : 0) : limits.idleCommitMilliseconds
    }
}
