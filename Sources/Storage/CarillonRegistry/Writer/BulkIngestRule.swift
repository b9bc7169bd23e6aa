import CarillonCore

/// Says when there is bulk ingest: only then its caches, its filter and its large buffers pay for themselves.
///
/// Many clients that register at full speed fill one batch after the other. A single large batch proves nothing: the
/// changes that come during a pause of the writer always come together. A single small batch proves nothing either:
/// perhaps all clients were waiting for the answers of the batch before. So large and small batches are weighed against
/// each other. Bulk ingest begins when there are `minimumSurplus` more large batches than small ones, and ends when
/// small batches have used up the surplus.
///
/// For example, three large batches begin it. After a small one the surplus is 2, and it goes on. Two more small ones
/// end it.
struct BulkIngestRule {
    private let limits: LMDBRegistry.BulkIngestLimits
    /// The number of large batches minus the number of small ones, from 0 to ``maximumSurplus``.
    private var surplus = 0
    /// The most surplus that counts: after that many small batches bulk ingest has ended.
    private static let maximumSurplus = 8
    /// True from the batch at which the surplus is large enough until it is used up.
    private(set) var isUnderWay = false
    /// The time at which bulk ingest was seen last; nil if its caches are released.
    private var lastSeen: Uptime?

    init(limits: LMDBRegistry.BulkIngestLimits) {
        self.limits = limits
    }

    /// Counts a batch that is about to be applied.
    ///
    /// - Parameter changes: the number of its changes.
    mutating func batchBegan(changes: Int, at now: Uptime) {
        surplus = min(max(0, surplus + (changes >= limits.minimumChanges ? 1 : -1)), Self.maximumSurplus)
        isUnderWay = surplus >= limits.minimumSurplus || isUnderWay && surplus > 0
        if isUnderWay { lastSeen = now }
    }

    /// Returns true once after each bulk ingest, when it ended so long ago that its caches can be released.
    mutating func takeCacheRelease(at now: Uptime) -> Bool {
        guard let lastSeen, now.milliseconds(since: lastSeen) >= limits.cacheLifetimeMilliseconds else { return false }
        self.lastSeen = nil
        return true
    }
}
