import CarillonCore
import CarillonLMDB

/// The context of changes: everything that the appliers share besides the open transaction. It has the tables, the
/// caches, the ids and the settings, and the parts that keep rows of several tables in step.
///
/// | Part | The rows that it keeps in step |
/// |---|---|
/// | ``tokenIndex``, ``tombstones`` | the addresses of devices, and what is left of an unregistered one |
/// | ``deviceSets`` | the sets of a device, which follow from its record and its membership |
/// | ``quarantine``, ``deviceRemover`` | the rows of a device whose token is dead, and of one that is removed |
/// | ``outbox`` | a message in the outbox or the schedule, its claims, and its end |
///
/// It belongs to the writer thread. Caches live between transactions, are written before each commit by `flush`, and
/// are dropped when a transaction is aborted. Before a read, the writer writes the caches that the read needs. The
/// transaction is a parameter: it is noncopyable, and lent to one change at a time.
final class WriteContext {
    let tables: Tables
    let ids: IDAllocator
    let settings: StoredSettings
    let events: EventWriter
    let unreadable: UnreadableItems

    let tokenIndex: TokenIndex
    let sets: SetCache
    let bufferedTopics: BufferedTopics
    let storedClaims: StoredClaims

    let devices: DeviceFinder
    let tombstones: TombstoneWriter
    let deviceSets: DeviceSets
    let quarantine: Quarantine
    let deviceRemover: DeviceRemover
    let memberFinder: MemberFinder
    let audienceCounter: LiveAudienceCounter
    let outbox: OutboxWriter

    init(tables: Tables, options: LMDBRegistry.Options, setLimits: SetCache.Limits = SetCache.Limits()) {
        self.tables = tables
        ids = IDAllocator(tables: tables)
        settings = StoredSettings(tables: tables)
        events = EventWriter(tables: tables)
        unreadable = UnreadableItems(report: options.onUnreadable)

        tokenIndex = TokenIndex(tables: tables, limits: options.bulkIngest)
        sets = SetCache(tables: tables, limits: setLimits)
        bufferedTopics = BufferedTopics(tables: tables)
        storedClaims = StoredClaims(tables: tables)

        devices = DeviceFinder(tables: tables, tokenIndex: tokenIndex, sets: sets)
        tombstones = TombstoneWriter(tables: tables, tokenIndex: tokenIndex)
        deviceSets = DeviceSets(tables: tables, sets: sets, ids: ids)
        quarantine = Quarantine(tables: tables, deviceSets: deviceSets, ids: ids, events: events)
        deviceRemover = DeviceRemover(tables: tables, deviceSets: deviceSets, quarantine: quarantine)
        memberFinder = MemberFinder(tables: tables, sets: sets, devices: devices)
        audienceCounter = LiveAudienceCounter(tables: tables, sets: sets, maximumSteps: options.maximumCountingSteps)
        outbox = OutboxWriter(
            tables: tables, ids: ids, events: events, storedClaims: storedClaims, audienceCounter: audienceCounter)
    }

    /// Begins a request, which is one change or a batch of them. Call it before its first change.
    func beginRequest() { deviceSets.beginRequest() }

    // MARK: Buffered rows

    /// Writes the rows of each buffer that has many. The writer calls it outside of bulk ingest. During bulk ingest the
    /// rows wait until a buffer is full, or until they are needed.
    func flushBufferedRowsIfMany(in transaction: inout WriteTransaction) throws {
        if bufferedTopics.count >= Self.minimumFlushedRows { try bufferedTopics.flush(in: &transaction) }
        if tokenIndex.bufferedRows.count >= Self.minimumFlushedRows { try tokenIndex.flush(in: &transaction) }
    }

    /// The minimum number of rows that a buffer writes outside of bulk ingest. This takes less than a millisecond.
    private static let minimumFlushedRows = 512

    /// Writes some of the buffered rows. Only reads may be run before the others are written.
    func flushSomeBufferedRows(in transaction: inout WriteTransaction) throws -> Completeness {
        if try bufferedTopics.flushSome(in: &transaction) == .incomplete { return .incomplete }
        return try tokenIndex.flushSome(in: &transaction)
    }

    /// Releases the memory of bulk ingest, which has ended long ago.
    func releaseBulkMemory() {
        tokenIndex.releaseCaches()
        bufferedTopics.releaseMemoryIfEmpty()
    }

    // MARK: Transactions

    /// True if there are more sets in memory than are kept after a commit: the writer must soon make a commit, which
    /// drops them.
    var areCachesFull: Bool { sets.exceedsKeptSets }

    /// Removes the sets that no row needs after a change, and events if there are too many. Call it at the end of each
    /// change.
    func endChange(in transaction: inout WriteTransaction) throws {
        try sets.removeIdleSets(in: &transaction)
        if events.needsRoom {
            try events.removeExcess(over: settings.get(in: transaction).maximumEvents, in: &transaction)
        }
    }

    /// Writes to the tables the values that only the writer's memory has: the buffered rows, the sets, the number of
    /// the last event, and the ids. The rows that it writes depend on the changes alone, not on the moment at which it
    /// is called. Call it before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        try bufferedTopics.flush(in: &transaction)
        try tokenIndex.flush(in: &transaction)
        try sets.flush(in: &transaction)
        try events.flush(in: &transaction)
        try ids.flush(in: &transaction)
    }

    /// Writes to the tables the values that a read needs and that only the writer's memory has.
    func flush(for needs: WriterRead.Needs, in transaction: inout WriteTransaction) throws {
        switch needs {
        case .everything: try flush(in: &transaction)
        case .page(let message):
            // Why try?: the read meets the same row, and is answered with the error.
            guard let progress = try? tables.progress.get(message, in: transaction) else { return }
            // The recipients of a list are stored with the message. So such a page needs only the set of the muted.
            if progress.isLive {
                try sets.flush(in: &transaction)
            } else {
                try flushSetsIfMutedChanged(of: progress.app, in: &transaction)
            }
        case .pointReads(let app):
            guard let appNumber = try ids.knownNumber(of: app, in: transaction) else { return }
            try flushSetsIfMutedChanged(of: appNumber, in: &transaction)
        }
    }

    /// Writes all changed sets if the set of the muted is one of them, for a read that asks whether devices are muted.
    private func flushSetsIfMutedChanged(of app: AppNumber, in transaction: inout WriteTransaction) throws {
        if try sets.find(.muted, app: app, in: transaction)?.isChanged == true { try sets.flush(in: &transaction) }
    }

    /// Called when the transaction was committed: the caches equal the disk.
    func transactionCommitted() {
        ids.transactionCommitted()
        sets.transactionCommitted()
        events.transactionCommitted()
    }

    /// Drops the caches, because the transaction was aborted: everything is read again.
    func transactionAborted() {
        ids.transactionAborted()
        bufferedTopics.transactionAborted()
        tokenIndex.transactionAborted()
        sets.evictAll()
        events.transactionAborted()
        settings.transactionAborted()
    }
}
