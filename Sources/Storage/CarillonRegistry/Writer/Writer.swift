import CarillonClock
import CarillonCore
import CarillonLMDB
import Synchronization

/// The one owner of write transactions. It dequeues submissions, appends them to the write-ahead log, applies them in
/// order to the open transaction, and then answers them. It lives on the writer thread.
///
/// A change is durable by its record of the log. The transaction stays open for many batches, until a checkpoint
/// commits it: ``CheckpointRule`` decides when. Between two slices of a batch the writer runs short reads, which see
/// what is applied. Two helper threads work for it: one of ``RecordAppender`` and one of ``CommitSyncer``.
///
/// ``BatchPipeline`` has the batches of a registry with a log of its own. While one batch is applied, the next is
/// prepared:
///
/// ```text
///            logBatch: the record is appended, and waited for
///   queue ──────────────────────────────────────────────────▶ batch ── applyBatch ──▶ answered
///     │                                                         ▲
///     │ prepareNextBatch, before `batch` is applied             │ advanceToNextBatch, after `batch` was answered
///     │                                                         │
///     ├─ there is room ───────▶ prepared ── record awaited ─────┤
///     │                         (its record is being appended)  │
///     └─ only after a commit ─▶ dequeued ── logBatch ───────────┘
///
///   a change cannot be applied ──▶ transaction aborted, log replayed: both batches have their results from it
///   the disk has failed ──▶ stop: the pipeline and the queue are answered with the error
/// ```
///
/// This file has the loop, the life of a batch after its record, and the open transaction. The extensions have the
/// rest: `+Appending` the record, `+Transactions` the commit and its sync, `+Log` and `+Bisection` the replay, `+Reads`
/// the short reads, and `+Replica`, in the folder `Cluster`, the loop of a replica.
final class Writer {
    /// The lock of the directory, held for as long as the writer may write, even if the registry itself is released
    /// before.
    private let directoryLock: DirectoryLock
    let environment: LMDBEnvironment
    let applier: ChangeApplier
    let tables: Tables
    let queue: WriteQueue
    let readGate: ReadGate
    let options: LMDBRegistry.Options
    let uptime: @Sendable () -> Uptime
    let onEvents: @Sendable (UInt64) -> Void
    private let onFailure: @Sendable (RegistryError) -> Void
    private var spaceMonitor: SpaceMonitor
    var checkpointRule: CheckpointRule
    var bulkIngest: BulkIngestRule
    /// The changes that are applied and not committed; nil between a commit and the next batch.
    private(set) var uncommitted: OpenWriteTransaction?
    /// The submissions that were dequeued and are not answered.
    var pipeline = BatchPipeline()
    let appender: RecordAppender
    let syncer: CommitSyncer
    /// The context of a replica; nil if the registry keeps a log of its own.
    let replica: ReplicaContext?
    var readTurns = ReadTurns()

    var context: WriteContext { applier.context }
    /// The log. It belongs to the appender while a record is being appended.
    var wal: WriteAheadLog { appender.wal }

    typealias SubmissionResult = WriteBatch.SubmissionResult

    /// The storage that a writer writes to, and shares with its registry.
    struct Storage {
        let lock: DirectoryLock
        let environment: LMDBEnvironment
        let tables: Tables
        let wal: WriteAheadLog
        let queue: WriteQueue
        let readGate: ReadGate
        /// The context of a replica; nil if the registry keeps a log of its own.
        let replica: ReplicaContext?
    }

    /// Makes a writer, which runs on the thread that calls `run`.
    ///
    /// - Parameters:
    ///   - uptime: the clock of deadlines and pauses.
    ///   - onEvents: called on the writer thread with the number of the newest event, after a batch that wrote events
    ///     was answered. Its events are on the disk. Must not block.
    ///   - onFailure: called once, on the writer thread, when the disk has failed.
    init(
        _ storage: Storage, options: LMDBRegistry.Options, uptime: @escaping @Sendable () -> Uptime,
        onEvents: @escaping @Sendable (UInt64) -> Void, onFailure: @escaping @Sendable (RegistryError) -> Void
    ) {
        directoryLock = storage.lock
        environment = storage.environment
        tables = storage.tables
        queue = storage.queue
        readGate = storage.readGate
        replica = storage.replica
        self.options = options
        self.uptime = uptime
        self.onEvents = onEvents
        self.onFailure = onFailure
        applier = ChangeApplier(context: WriteContext(tables: storage.tables, options: options))
        syncer = CommitSyncer(storage.environment)
        appender = RecordAppender(storage.wal, syncer: syncer)
        spaceMonitor = SpaceMonitor(options: options)
        checkpointRule = CheckpointRule(limits: options.checkpoints)
        bulkIngest = BulkIngestRule(limits: options.bulkIngest)
    }

    /// Commits the changes of the write-ahead log that the database lacks, and makes the log ready. Call it before
    /// any read.
    func recover() throws(RegistryError) {
        do throws(WriterError) {
            _ = try replay(firstUnansweredLSN: nil)
            try attachLog()
            // A replica has what it needs in the shared log.
            if replica != nil { try detachLog() }
        } catch {
            throw error.error
        }
    }

    /// Writes until the queue is closed and empty, or the disk fails.
    func run() {
        defer { stopThreads() }
        do throws(WriterError) {
            try startThreads()
            if let replica { return try run(replica) }
            while true {
                try endSyncIfDone()
                let timeout = checkpointRule.timeoutMilliseconds(
                    readsWait: readGate.hasReaders, syncMode: nextSyncMode, at: uptime())
                switch queue.dequeue(withinMilliseconds: timeout) {
                case .batch(let submissions): try write(submissions)
                case .woken: try serveReadsAlone()
                case .timeout: try checkpoint()
                case .closed:
                    try checkpoint()
                    try detachLog()
                    try awaitSync()
                    return serve(queue.refuseLaterReads())
                }
                try checkpointIfDue()
            }
        } catch {
            stop(error.error)
        }
    }

    private func startThreads() throws(WriterError) {
        guard options.usesLog else { return }
        do {
            try appender.start(queue)
            try syncer.start(queue)
        } catch {
            throw fatal(error)
        }
    }

    private func stopThreads() {
        appender.stop()
        syncer.stop()
    }

    /// Releases the memory of bulk ingest, which has ended.
    private func releaseBulkMemory() throws(WriterError) {
        try checkpoint()
        context.releaseBulkMemory()
        do {
            try removeRecords()
        } catch {
            throw fatal(error)
        }
    }

    /// Answers everything with the error, and stops for good.
    private func stop(_ error: RegistryError) {
        let waiting = queue.fail(error)
        appender.waitIfUnderWay()
        syncer.waitIfUnderWay()
        pipeline.fail(error)
        replica?.fail(error)
        for submission in waiting { submission.complete(.failure(error)) }
        uncommitted?.abort()
        for read in queue.refuseLaterReads() { read.fail(error) }
        readGate.fail(error)
        onFailure(error)
    }

    // MARK: Batches

    /// The number of mutations of a slice: the reads that wait are looked at between two slices.
    private static let mutationsPerSlice = 64
    /// The number of mutations that are applied before the number of changed pages is read again.
    private static let mutationsPerPageCheck = 4 * mutationsPerSlice
    /// The number of submissions whose completions are called in one `whileAnswering`: the first answers are sent while
    /// the next are made.
    static let submissionsPerAnswer = 256

    /// Writes a batch: appends it to the log, applies it and answers it. While it is applied, the record of the next
    /// one is appended, and so on until none waits or a checkpoint is due.
    private func write(_ submissions: [Submission]) throws(WriterError) {
        pipeline.submissionsDequeued(submissions)
        if bulkIngest.takeCacheRelease(at: uptime()) { try releaseBulkMemory() }
        try logBatch(of: submissions)
        repeat {
            try prepareNextBatch()
            try applyBatch()
            pipeline.batchAnswered()
            try flushBufferedRowsIfMany()
        } while try advanceToNextBatch()
    }

    /// Applies the batch, and answers it. Reads are run between two slices of it.
    ///
    /// Nothing is answered before the whole batch is applied. A client that has its answer sends the next request, so
    /// early answers would make many small batches, and each needs a sync.
    private func applyBatch() throws(WriterError) {
        // Only these parts are copied: a copy of the whole batch would share its results, and the first result that is
        // set would then copy them all.
        let submissions = pipeline.batch.submissions
        let admitted = pipeline.batch.admitted
        let changeCount = pipeline.batch.changeCount
        let startedAtNanoseconds = pipeline.batch.startedAtNanoseconds
        if let range = pipeline.batch.walRange, !pipeline.batch.isApplied {
            checkpointRule.changesApplied(at: uptime())
            bulkIngest.batchBegan(changes: changeCount, at: uptime())
            let count = admitted.count
            do {
                try applySlices(of: count) { index, transaction in
                    let answer = try applier.apply(submissions.span[admitted[index]].mutation, in: &transaction)
                    pipeline.batch.set(.success(answer), at: index)
                } afterSlice: { end, uncommitted in
                    try commitIfNeeded(uncommitted, upTo: end, of: count, in: range)
                }
            } catch {
                try applyAgain(after: error)
            }
        }
        if uncommitted != nil { readGate.closeForChangedDevices() }
        try answer()
        if changeCount > 0 { options.onBatch(changeCount, Clock.uptimeNanoseconds() - startedAtNanoseconds) }
    }

    /// Applies mutations in slices. Reads are run between two of them.
    ///
    /// - Parameters:
    ///   - apply: applies the mutation with an index.
    ///   - afterSlice: called with the index after the last mutation of a slice, and the transaction; may commit it.
    @inline(__always)
    func applySlices(
        of count: Int, _ apply: (Int, inout WriteTransaction) throws -> Void,
        afterSlice: (Int, OpenWriteTransaction) throws -> Void = { _, _ in }
    ) throws {
        if bulkIngest.isUnderWay { try context.tokenIndex.extendCaches(in: &currentTransaction().transaction) }
        var next = 0
        while next < count {
            let end = min(next + Self.mutationsPerSlice, count)
            let uncommitted = try currentTransaction()
            while next < end {
                try apply(next, &uncommitted.transaction)
                next += 1
            }
            try afterSlice(end, uncommitted)
            if areReadsDue { try serveReads() }
        }
    }

    /// Writes the buffered rows if they are many, but not during bulk ingest. Otherwise a checkpoint would have to
    /// write them all at once, and new changes would wait for it.
    private func flushBufferedRowsIfMany() throws(WriterError) {
        guard let uncommitted, !bulkIngest.isUnderWay else { return }
        do {
            try context.flushBufferedRowsIfMany(in: &uncommitted.transaction)
        } catch {
            try rollBackAndReplay(after: error)
        }
    }

    /// Commits the applied part of a batch if the transaction may not stay open.
    ///
    /// - Parameter range: the record of the batch, which has `count` mutations.
    private func commitIfNeeded(
        _ uncommitted: OpenWriteTransaction, upTo end: Int, of count: Int, in range: WriteBatch.WALRange
    ) throws {
        // Without a log nothing is durable before the commit.
        guard options.usesLog else {
            if end == count { try commit() }
            return
        }
        guard end == count || end % Self.mutationsPerPageCheck == 0, try !mayStayOpen(uncommitted) else { return }
        if end < count {
            try commit(reaching: range.before.reaching(mutations: end))
        } else if appender.isUnderWay {
            // The log has the next record already: its segments stay as they are.
            try commit(reaching: range.after)
        } else {
            try commit()
        }
    }

    /// Applies the whole batch from the log, with the changes before it, after a mutation could not be applied.
    private func applyAgain(after error: any Error) throws(WriterError) {
        guard options.usesLog else {
            abortTransaction()
            throw fatal(error)
        }
        try rollBackAndReplay(after: error)
    }

    /// Answers all submissions of the batch, piece by piece, with reads between the pieces. Then reports the newest
    /// event that the batch has written.
    private func answer() throws(WriterError) {
        while !pipeline.batch.isAnswered {
            options.whileAnswering { pipeline.batch.answer(atMost: Self.submissionsPerAnswer) }
            if areReadsDue { try serveReadsAlone() }
        }
        queue.chunkCount.store(context.ids.largestChunkCount, ordering: .relaxed)
        if let newest = context.events.takeNewestSequence() { onEvents(newest) }
    }

    /// Aborts the open transaction, because a change could not be applied. Every change in it is in the write-ahead
    /// log. They are applied again from there and committed, without those that fail again. This gives the batches that
    /// are not answered yet their results.
    func rollBackAndReplay(after error: any Error) throws(WriterError) {
        let failure = writerError(for: error)
        // Nothing more is read or written: the next start finds the disk as it is now.
        if failure.isFatal { throw failure }
        // The changes are in the shared log, from which the next start reads them.
        guard replica == nil else { throw fatal(error) }
        abortTransaction()
        // The result says whether the next start would find the record. That does not matter here: the replay reads
        // the file that is open.
        _ = try endAppend()
        let results = try replay(firstUnansweredLSN: pipeline.firstUnansweredLSN)
        guard let lsn = pipeline.setReplayed(results) else { return }
        let text = "record \(lsn) of the write-ahead log was applied again, and results of its changes are missing"
        throw .fatal(.storageFailed(text))
    }

    // MARK: The open transaction

    /// Returns the transaction that is open, or opens a new one.
    func currentTransaction() throws -> OpenWriteTransaction {
        if let uncommitted { return uncommitted }
        let begun = try OpenWriteTransaction(environment)
        uncommitted = begun
        return begun
    }

    /// Commits the changes that were applied, up to a position in the write-ahead log. The sync is deferred if it may
    /// be.
    func commit(reaching position: WALPosition) throws {
        guard let uncommitted else { return }
        try context.flush(in: &uncommitted.transaction)
        try tables.meta.putWALPosition(position, in: &uncommitted.transaction)
        if let replica { try tables.meta.putReplicaRecord(replica.record, in: &uncommitted.transaction) }
        try awaitSync()
        try syncer.commit(uncommitted)
        self.uncommitted = nil
        context.transactionCommitted()
    }

    /// Aborts the open transaction, and drops the caches, which are read again.
    func abortTransaction() {
        readGate.closeForAllReads()
        uncommitted?.abort()
        uncommitted = nil
        context.transactionAborted()
    }

    // MARK: Space

    /// Decides which changes the database has room for.
    func decideAdmission() throws(WriterError) -> SpaceMonitor.Admission {
        do {
            return try spaceMonitor.decideAdmission(
                to: environment, changedDatabasePages: try uncommitted?.transaction.changedPages() ?? 0, at: uptime())
        } catch {
            throw fatal(error)
        }
    }

    /// Returns true if the transaction may stay open: a commit still has room, and its pages are not too many.
    func mayStayOpen(_ uncommitted: OpenWriteTransaction) throws -> Bool {
        let pages = try uncommitted.transaction.changedPages()
        return spaceMonitor.mayDeferCommit(changedDatabasePages: pages) && !context.areCachesFull
            && pages <= checkpointRule.maximumChangedDatabasePages
    }
}
