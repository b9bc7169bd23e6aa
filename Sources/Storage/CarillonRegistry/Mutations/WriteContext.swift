import CarillonCore
import CarillonLMDB

/// The context of changes: everything that they need besides the open transaction. It has the tables, the caches, the
/// ids and the settings.
///
/// Each extension has operations of one kind, or one kind of row that several operations write:
///
/// | Extension | What it does |
/// |---|---|
/// | `+Register` | REGISTER: a new device, a known one, or one whose token replaces another |
/// | `+Unregister`, `+DeviceUpdate` | UNREGISTER and UPDATE_DEVICE |
/// | `+Addresses` | the devices of references; the tombstones of addresses |
/// | `+Quarantine`, `+TokenReports` | devices enter and leave the quarantine; what providers report about tokens |
/// | `+SilentPushes` | the times of silent pushes, which count against the budget of a device |
/// | `+Groups`, `+Topics` | JOIN, LEAVE, SWITCH and UPDATE_GROUP; SUBSCRIBE and UNSUBSCRIBE |
/// | `+Members`, `+Sets` | the devices that these name, and their limits; the sets that follow from a device |
/// | `+Send`, `+Resend` | SEND, with the idempotency key and the count of the audience; RESEND |
/// | `+MessageUpdates`, `+Schedule` | UPDATE_MESSAGE; the release of scheduled messages into the outbox |
/// | `+Outcomes`, `+Receipts` | the outcomes of a page and the end of a message; RECEIPTS |
/// | `+Claims` | the claims of messages by members of a cluster |
/// | `+Subscribers` | events from outside of the registry; the subscribers of events |
///
/// A sweep is a ``RetentionSweep``.
///
/// The effect of a change depends on the stored rows and on its own fields only: with or without caches it is the same.
/// A time or a setting comes from the change or from a row. The one exception is a row that cannot be read: such rows
/// differ from disk to disk, and so do the items that are skipped.
///
/// It belongs to the writer thread. Caches live between transactions, are written before each commit by `flush`, and
/// are dropped when a transaction is aborted. Before a read, the writer writes the caches that the read needs. The
/// transaction is a parameter: it is noncopyable, and lent to one change at a time.
final class WriteContext {
    let tables: Tables
    let tokenIndex: TokenIndex
    let sets: SetCache
    let ids: IDAllocator
    let events: EventWriter
    let storedClaims: StoredClaims
    var bufferedTopics = BufferedTopics()
    /// The topics that devices got with a group since `beginRequest`.
    var gainedTopics = GainedTopics()
    /// The most steps of a scan that counts the audience of a message.
    let maximumCountingSteps: Int
    /// The stored settings; nil until they are read.
    private var knownSettings: RegistrySettings?
    let unreadable: UnreadableItems

    init(tables: Tables, options: LMDBRegistry.Options, setLimits: SetCache.Limits = SetCache.Limits()) {
        self.tables = tables
        tokenIndex = TokenIndex(tables: tables, limits: options.bulkIngest)
        maximumCountingSteps = options.maximumCountingSteps
        unreadable = UnreadableItems(report: options.onUnreadable)
        sets = SetCache(tables: tables, limits: setLimits)
        ids = IDAllocator(tables: tables)
        events = EventWriter(tables: tables)
        storedClaims = StoredClaims(tables: tables)
    }

    /// Begins a request, which is one change or a batch of them. Call it before its first change.
    func beginRequest() { gainedTopics = GainedTopics() }

    // MARK: Buffered rows

    /// Writes the buffered topics. Call it before `memberships` is read.
    func flushBufferedTopics(in transaction: inout WriteTransaction) throws {
        guard !bufferedTopics.isEmpty else { return }
        try bufferedTopics.write(to: tables.memberships, in: &transaction)
    }

    func flushBufferedRowsIfMany(in transaction: inout WriteTransaction) throws {
        if bufferedTopics.count >= Self.minimumFlushedRows { try flushBufferedTopics(in: &transaction) }
        if tokenIndex.bufferedRows.count >= Self.minimumFlushedRows { try tokenIndex.flush(in: &transaction) }
    }

    /// The number of buffered rows that are many: outside of bulk ingest they are written at once, which takes less
    /// than a millisecond.
    private static let minimumFlushedRows = 512

    /// Writes some of the buffered rows. Only reads may be run before the others are written.
    func flushSomeBufferedRows(in transaction: inout WriteTransaction) throws -> Completeness {
        if try bufferedTopics.writeSome(to: tables.memberships, in: &transaction) == .incomplete { return .incomplete }
        return try tokenIndex.flushSome(in: &transaction)
    }

    /// Releases the memory of bulk ingest, which has ended long ago.
    func releaseBulkMemory() {
        tokenIndex.releaseCaches()
        if bufferedTopics.isEmpty { bufferedTopics = BufferedTopics() }
    }

    // MARK: Transactions

    /// True if the caches are so full that a commit must soon write and drop their contents.
    var areCachesFull: Bool { sets.exceedsKeptSets }

    /// Removes what a change has left that no row needs any more. Call it at the end of each change.
    func endChange(in transaction: inout WriteTransaction) throws {
        try sets.removeIdleSets(in: &transaction)
        if events.needsRoom {
            try events.removeExcess(over: settings(in: transaction).maximumEvents, in: &transaction)
        }
    }

    /// Writes to the tables the values that only the writer's memory has: the buffered rows, the sets, the events and
    /// the ids. The rows that it writes depend on the changes alone, not on the moment at which it is called. Call it
    /// before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        try flushBufferedTopics(in: &transaction)
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
            guard let number = try ids.knownNumber(of: app, in: transaction) else { return }
            try flushSetsIfMutedChanged(of: number, in: &transaction)
        }
    }

    /// Writes all changed sets if the set of the muted is one of them, for a read that asks whether devices are muted.
    private func flushSetsIfMutedChanged(of app: AppNumber, in transaction: inout WriteTransaction) throws {
        if try sets.find(.muted, app: app, in: transaction)?.isChanged == true { try sets.flush(in: &transaction) }
    }

    /// Notes that the transaction was committed: the caches equal the disk.
    func transactionCommitted() {
        ids.transactionCommitted()
        sets.transactionCommitted()
        events.transactionCommitted()
    }

    /// Drops the caches, because the transaction was aborted: everything is read again.
    func transactionAborted() {
        ids.transactionAborted()
        bufferedTopics.removeAll()
        tokenIndex.transactionAborted()
        sets.evictAll()
        events.transactionAborted()
        knownSettings = nil
    }

    // MARK: Settings

    /// Returns the settings that are stored; the defaults in a database that no program has set yet.
    func settings(in transaction: borrowing WriteTransaction) throws -> RegistrySettings {
        if let knownSettings { return knownSettings }
        let stored = try tables.meta.settings(in: transaction) ?? RegistrySettings()
        knownSettings = stored
        return stored
    }

    /// Replaces the settings; rows that are kept for too long by then are removed by the next sweeps.
    func configure(_ settings: RegistrySettings, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try tables.meta.putSettings(settings, in: &transaction)
        knownSettings = settings
        return .applied
    }
}
