import CarillonCore

/// The rule that says when bulk ingest is under way: its caches, its filter and its large buffers pay for themselves.
///
/// Many clients that register at full speed fill one batch after the other. A single large batch proves nothing: at any
/// rate the changes of a pause of the writer come together.
struct BulkIngestRule {
    private let limits: LMDBRegistry.BulkIngestLimits
    /// The number of large batches since the last small one.
    private var largeBatches = 0
    /// The time at which bulk ingest was seen last; nil if its caches are released.
    private var lastSeen: Uptime?

    init(limits: LMDBRegistry.BulkIngestLimits) {
        self.limits = limits
    }

    /// True if the last batches were so large that they are bulk ingest.
    var isUnderWay: Bool { largeBatches >= limits.minimumBatches }

    /// Counts a batch that is about to be applied.
    ///
    /// - Parameter changes: the number of its changes.
    mutating func batchBegan(changes: Int, at now: Uptime) {
        largeBatches = changes >= limits.minimumChanges ? min(largeBatches + 1, limits.minimumBatches) : 0
        if isUnderWay { lastSeen = now }
    }

    /// Returns true once after each bulk ingest, when it ended so long ago that its caches are to be released.
    mutating func takeEnd(at now: Uptime) -> Bool {
        guard let lastSeen, now.milliseconds(since: lastSeen) >= limits.cacheLifetimeMilliseconds else { return false }
        self.lastSeen = nil
        return true
    }
}
