import CarillonClock
import CarillonCore
import CarillonLMDB
import CarillonWire
import Synchronization

/// The one owner of write transactions. It dequeues submissions, appends them to the write-ahead log, applies them in
/// order to the open transaction, and then answers them. It lives on the writer thread.
///
/// A change is durable by its record of the log. The transaction stays open for many batches, until a checkpoint commits
/// it: ``CheckpointPolicy`` decides when. Between two slices of a batch the writer runs short reads, which see what is
/// applied.
final class Writer {
    /// Held for as long as something may be written, even if the registry itself is released before.
    private let directoryLock: DirectoryLock
    let environment: LMDBEnvironment
    let context: WriteContext
    let applier: ChangeApplier
    let layout: Layout
    let wal: WriteAheadLog
    let queue: WriteQueue
    let gate: ReadGate
    let options: LMDBRegistry.Options
    let uptimeMilliseconds: @Sendable () -> UInt64
    private let onEvents: @Sendable (UInt64) -> Void
    private let onFailure: @Sendable (RegistryError) -> Void
    private var gauge: SpaceGauge
    var policy: CheckpointPolicy
    /// The changes that are applied and not committed; nil between a commit and the next batch.
    var open: OpenWriteTransaction?
    /// The changes of a log record, encoded in the same memory each time.
    private var frames = FrameWriter()
    /// Identifies the commits of this writer among all commits: a random number, and their count.
    let commitSeries = UInt64.random(in: 0 ... .max)
    var commits: UInt64 = 0
    /// The batch that is being written.
    private(set) var batch: WriteBatch?

    typealias SubmissionResult = WriteBatch.SubmissionResult

    /// Why a transaction was aborted.
    struct Failure: Error {
        var error: RegistryError
        /// True if the disk has failed: nothing more is read or written.
        var isFatal: Bool
    }

    init(
        lock: DirectoryLock,
        environment: LMDBEnvironment,
        layout: Layout,
        wal: WriteAheadLog,
        queue: WriteQueue,
        gate: ReadGate,
        options: LMDBRegistry.Options,
        uptimeMilliseconds: @escaping @Sendable () -> UInt64,
        onEvents: @escaping @Sendable (UInt64) -> Void,
        onFailure: @escaping @Sendable (RegistryError) -> Void
    ) {
        directoryLock = lock
        self.environment = environment
        context = WriteContext(layout: layout, options: options)
        applier = ChangeApplier(context: context)
        self.layout = layout
        self.wal = wal
        self.queue = queue
        self.gate = gate
        self.options = options
        self.uptimeMilliseconds = uptimeMilliseconds
        self.onEvents = onEvents
        self.onFailure = onFailure
        gauge = SpaceGauge(options: options)
        policy = CheckpointPolicy(limits: options.wal)
    }

    /// Commits the changes of the write-ahead log that the database lacks, and makes the log ready. To be called before
    /// any read.
    func recover() throws(RegistryError) {
        do throws(Failure) {
            _ = try replay(isAnswered: true)
            try attachLog()
        } catch {
            throw error.error
        }
    }

    /// Writes until the queue is closed and empty, or the disk fails.
    func run() {
        do throws(Failure) {
            while true {
                let timeout = policy.timeout(hasReaders: gate.hasReaders, at: uptimeMilliseconds())
                switch queue.dequeue(within: timeout) {
                case .batch(let submissions): try write(submissions)
                case .nothing: try serveReadsAlone()
                case .idle: try checkpoint()
                case .end:
                    try checkpoint()
                    try detachLog()
                    return serve(queue.endReads())
                }
                try checkpointIfDue()
            }
        } catch {
            stop(error.error)
        }
    }

    /// Releases the memory of bulk ingest, which has ended.
    private func releaseBulkMemory() throws {
        try commit()
        context.releaseBulkCaches()
        try wal.removeRecords()
    }

    /// Answers everything with the error, and stops for good.
    private func stop(_ error: RegistryError) {
        let waiting = queue.fail(error)
        batch?.fail(error)
        for submission in waiting { submission.complete(.failure(error)) }
        open?.abort()
        for read in queue.endReads() { read.fail(error) }
        gate.fail(error)
        onFailure(error)
    }

    // MARK: A batch

    /// Works that are applied between two looks at the reads that wait.
    private static let slice = 64
    /// Works that are applied between two looks at the pages that have changed.
    private static let checkInterval = 4 * slice
    /// Submissions whose completions are called in one `whileAnswering`: the first answers are sent while the next are
    /// made.
    private static let answersAtOnce = 256

    /// Appends a batch to the log, applies it, and answers it.
    private func write(_ submissions: [Submission]) throws(Failure) {
        let (uptime, started) = (uptimeMilliseconds(), Clock.uptimeNanoseconds())
        var batch = WriteBatch(submissions)
        do {
            if policy.bulkIngestHasEnded(at: uptime) { try releaseBulkMemory() }
            let changedPages = try open?.transaction.changedPages() ?? 0
            var admission = try gauge.admission(to: environment, changedPages: changedPages, at: uptime)
            if open != nil, !submissions.allSatisfy({ admission.admits($0.work) }) {
                // Pages that were freed since the last commit count from the next one on.
                try commit()
                admission = try gauge.admission(to: environment, changedPages: 0, at: uptime)
            }
            batch.admit { submission in
                if let deadline = submission.deadline, uptime > deadline { return .deadline }
                return admission.admits(submission.work) ? nil : .storageFull
            }
        } catch {
            self.batch = batch
            throw fatal(error)
        }
        self.batch = batch
        if batch.changes > 0 {
            guard let before = try append(batch) else {
                // The bytes of a batch are bounded: this is a mistake of the bound.
                self.batch?.fail(.overloaded)
                return self.batch = nil
            }
            policy.applied(changes: batch.changes, at: uptime)
            try applyBatch(after: before)
            options.onCommit(batch.changes, Clock.uptimeNanoseconds() - started)
        } else {
            answer()
        }
        self.batch = nil
    }

    /// Appends the works of a batch to the log; returns the position before it, or nil if a record has no room for them.
    private func append(_ batch: WriteBatch) throws(Failure) -> WALPosition? {
        guard options.wal.isUsed else { return wal.position }
        frames.removeAll()
        for index in batch.admitted { ChangeRecordCodec.append(batch.submissions[index].work, to: &frames) }
        guard WALRecord.canHold(frames.bytes) else { return nil }
        do throws(RegistryError) {
            while true {
                let before = wal.position
                try wal.append(frames.bytes)
                if try wal.isInPlace { return before }
                // No start would find the record. The changes before it are stored, and it is written again.
                try storeWithoutLog()
            }
        } catch {
            // How much of the record is on the disk is unknown until the next start.
            throw Failure(error: error, isFatal: true)
        }
    }

    /// Applies the batch slice by slice, and answers it. Not slice by slice: the next batch, which needs a sync of its own,
    /// would be a small one.
    private func applyBatch(after before: WALPosition) throws(Failure) {
        guard let (submissions, admitted) = batch.map({ ($0.submissions, $0.admitted) }) else { return }
        let (count, isBulkIngest) = (admitted.count, policy.isBulkIngest(changes: admitted.count))
        var next = 0
        while next < count {
            let end = min(next + Self.slice, count)
            do {
                let open = try openTransaction()
                if isBulkIngest && next == 0 { try context.extendTokenCaches(in: &open.transaction) }
                while next < end {
                    let answer = try applier.apply(submissions[admitted[next]].work, in: &open.transaction)
                    batch?.set(.success(answer), at: next)
                    next += 1
                }
                try commitIfNeeded(upTo: end, of: count, after: before)
                try serveReads()
            } catch {
                try applyAgain(after: error)
                next = count
            }
        }
        if open != nil { gate.close() }
        answer()
    }

    /// Commits what is applied of a batch if the transaction may not stay open.
    private func commitIfNeeded(upTo end: Int, of count: Int, after before: WALPosition) throws {
        // Without a log nothing is durable before the commit.
        guard options.wal.isUsed else { return end == count ? try commit() : () }
        guard let open, end == count || end % Self.checkInterval == 0, try !mayStayOpen(open) else { return }
        if end == count { try commit() } else { try commit(reaching: before.reaching(works: end)) }
    }

    /// Applies the whole batch from the log, with the changes before it, after a work could not be applied.
    private func applyAgain(after error: any Error) throws(Failure) {
        guard options.wal.isUsed else {
            discardTransaction()
            throw fatal(error)
        }
        let results = try rollBack(after: error)
        let stored = (batch?.admitted.count ?? 0) - results.count
        // The first works of the batch may have been committed before: their results are known.
        for (index, result) in results.enumerated() { batch?.set(result, at: stored + index) }
    }

    /// Returns true if the transaction may stay open: a commit still has room, and its pages are not too many.
    private func mayStayOpen(_ open: OpenWriteTransaction) throws -> Bool {
        let pages = try open.transaction.changedPages()
        return gauge.mayDefer(changedPages: pages) && pages <= options.wal.mostPages && !context.isFull
    }

    /// Answers the submissions whose results are known, and tells of the events that they have written.
    private func answer() {
        while batch?.isAnswered == false {
            options.whileAnswering { batch?.answer(atMost: Self.answersAtOnce) }
        }
        queue.chunks.store(context.ids.chunks, ordering: .relaxed)
        if let newest = context.events.takeNewest() { onEvents(newest) }
    }

    // MARK: Reads

    /// Runs the reads that wait, on what is applied.
    ///
    /// - Throws: what writing the caches throws; the reads still wait then.
    private func serveReads() throws {
        guard queue.hasReads else { return }
        if let open { try context.flush(in: &open.transaction) }
        let reads = queue.takeReads()
        guard let open else { return serve(reads) }
        open.transaction.withSnapshot { snapshot in for read in reads { read.run(snapshot, layout) } }
    }

    /// Runs the reads that wait between two batches.
    private func serveReadsAlone() throws(Failure) {
        do {
            try serveReads()
        } catch {
            _ = try rollBack(after: error)
            serve(queue.takeReads())
        }
    }

    /// Runs reads when everything is committed.
    private func serve(_ reads: [WriterRead]) {
        guard !reads.isEmpty else { return }
        do {
            try environment.read { snapshot in for read in reads { read.run(snapshot, layout) } }
        } catch {
            for read in reads { read.fail(RegistryError(reading: error)) }
        }
    }
}
