import CarillonCore
import CarillonLMDB

/// Everything that changes need besides the open transaction: the tables, the caches, the ids, and the rules of
/// retention. The extensions are the changes, one kind a file.
///
/// It belongs to the writer thread. Caches live between batches, are written once a batch by `flush`, and are dropped
/// when a transaction is aborted. The transaction is a parameter: it is noncopyable, and lent to one change at a time.
final class WriteContext {
    let layout: Layout
    let retention: LMDBRegistry.Retention
    let silentBudget: LMDBRegistry.SilentBudget
    let wallClock: @Sendable () -> Timestamp
    let sets: SetCache
    let ids: IDAllocator
    let events: EventLog
    /// Rows that are still to be written.
    var ingestBuffer = IngestBuffer()
    /// Says which addresses are certainly new, once it is complete.
    var tokenFilter = TokenBloomFilter()
    /// Which device has which address; nil except during bulk ingest.
    var tokenIndex: TokenIndexCache?
    private let tokenIndexSets: Int
    /// The device at which the last sweep of silent pushes ended; nil if it has read them all.
    var silentSweepPosition: (app: AppNumber, id: DeviceID)?
    /// Items that could not be read since the start.
    private var unreadable: Set<UnreadableItem> = []
    private let onUnreadable: @Sendable (String) -> Void
    /// True if the last sweep has failed at an item that the next sweep skips.
    var hasSkippedAnotherItem = false

    init(
        layout: Layout, options: LMDBRegistry.Options, wallClock: @escaping @Sendable () -> Timestamp,
        setLimits: SetCache.Limits = SetCache.Limits()
    ) {
        self.layout = layout
        self.retention = options.retention
        self.silentBudget = options.silentBudget
        tokenIndexSets = options.wal.tokenIndexSets
        self.wallClock = wallClock
        onUnreadable = options.onUnreadable
        sets = SetCache(layout: layout, limits: setLimits)
        ids = IDAllocator(layout: layout)
        events = EventLog(layout: layout, limit: options.eventLimit)
    }

    // MARK: Ingest buffer and bulk caches

    /// Writes the rows of the ingest buffer. To be called before `addresses` or `memberships` is read.
    func flushIngestBuffer(in transaction: inout WriteTransaction) throws {
        guard !ingestBuffer.isEmpty else { return }
        try ingestBuffer.write(to: layout, in: &transaction)
    }

    /// The same if the buffer is full.
    func flushIngestBufferIfFull(in transaction: inout WriteTransaction) throws {
        if ingestBuffer.isFull { try flushIngestBuffer(in: &transaction) }
    }

    /// Bulk ingest has begun, or goes on: reads the next rows of `addresses` into the token filter and the token index
    /// cache.
    func extendTokenCaches(in transaction: inout WriteTransaction) throws {
        if tokenFilter.hasNotBegun { try flushIngestBuffer(in: &transaction) }
        if tokenIndex == nil { tokenIndex = TokenIndexCache(sets: tokenIndexSets) }
        try tokenFilter.extend(from: layout.addresses, in: transaction) { row in
            guard let tokenIndex, tokenIndex.room > 0, case .device(let device) = row.entry else { return }
            tokenIndex.insert(device, at: row.place.address, app: row.place.app)
        }
    }

    /// Releases the memory of bulk ingest, which has ended long ago.
    func releaseBulkCaches() {
        tokenIndex = nil
        // A filter that was given up would be given up again.
        if !tokenFilter.isGivenUp { tokenFilter = TokenBloomFilter() }
        if ingestBuffer.isEmpty { ingestBuffer = IngestBuffer() }
    }

    // MARK: Transactions

    /// True if the caches hold so much that a commit is to write and drop it soon.
    var isFull: Bool { sets.isFull }

    /// Writes the ingest buffer, the sets, the events and the ids. To be called before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        try flushIngestBuffer(in: &transaction)
        try sets.flush(in: &transaction)
        try events.flush(in: &transaction)
        try ids.flush(in: &transaction)
    }

    /// The transaction was committed: the caches equal the disk. Returns the newest event; nil if no event was written.
    func committed() -> UInt64? {
        ids.committed()
        sets.committed()
        return events.committed()
    }

    /// The transaction was aborted: everything is read again.
    func aborted() {
        ids.reset()
        ingestBuffer.removeAll()
        tokenIndex = nil
        sets.reset()
        events.aborted()
    }

    // MARK: Times

    /// A time that a caller gave; 0 and the future stand for now (Protocol 7).
    static func effectiveTime(_ given: Timestamp, now: Timestamp) -> Timestamp {
        given == .zero ? now : min(given, now)
    }

    /// A stored time, but not later than now: the clock may have been ahead when it was stored, and that must not
    /// decide until the time has come.
    static func clampedToNow(_ time: Timestamp, now: Timestamp) -> Timestamp { min(time, now) }

    /// Returns true if a tombstone makes a registration of the time `seenAt` stale. On equal times the tombstone wins.
    /// A registration of now wins over a tombstone from the future.
    static func isStale(_ seenAt: Timestamp, after tombstone: Tombstone, now: Timestamp) -> Bool {
        tombstone.at > now ? now > seenAt : tombstone.at >= seenAt
    }

    // MARK: Unreadable items

    /// Items remembered at most: about 1 MB.
    private static let unreadableLimit = 10_000

    /// Remembers that an item cannot be read, also if the transaction is aborted, and reports it once. Returns false if
    /// it is known already, or if too many are.
    @discardableResult
    func skip(_ item: UnreadableItem, _ reason: String) -> Bool {
        guard unreadable.count < Self.unreadableLimit, unreadable.insert(item).inserted else { return false }
        onUnreadable("\(item): \(reason)")
        return true
    }

    /// A handler of unreadable rows of a table that skips them.
    func skipRow(of table: String) -> RowFault {
        { self.skip(.row(table: table, key: $0), $1) }
    }

    /// Returns true if an item was found unreadable.
    func isSkipped(_ item: UnreadableItem) -> Bool { !unreadable.isEmpty && unreadable.contains(item) }
}
