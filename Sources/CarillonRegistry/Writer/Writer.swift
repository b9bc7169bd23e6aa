import CarillonCore
import CarillonLMDB
import CarillonWire

/// The one owner of write transactions. It dequeues submissions, applies them in order in one transaction, makes them
/// durable, and then answers them. It lives on the writer thread.
///
/// Changes are durable by a commit, or, during bulk ingest, by a record of the write-ahead log. Then the transaction
/// stays open, and its commit, the checkpoint, comes later and is for many batches.
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
    private let uptimeMilliseconds: @Sendable () -> UInt64
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
    /// The newest event of this batch that is on disk; nil if there is none.
    var newestEvent: UInt64?

    typealias SubmissionResult = Result<Submission.Answer, RegistryError>

    /// The disk has failed.
    struct Fatal: Error {
        var error: RegistryError
        /// The results of the submissions whose end is known, by index.
        var results: [SubmissionResult?] = []
    }

    /// Why a transaction was aborted.
    struct Failure: Error {
        var error: RegistryError
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
            try replay()
            try attachLog()
        } catch {
            throw error.error
        }
    }

    /// Writes until the queue is closed and empty, or the disk fails.
    func run() {
        while true {
            let dequeued = queue.dequeue(within: policy.idleTimeoutMilliseconds)
            var batch: [Submission] = []
            if case .batch(let submissions) = dequeued { batch = submissions }
            do throws(Fatal) {
                if batch.isEmpty {
                    try checkpoint(at: uptimeMilliseconds())
                } else {
                    let results = try write(batch)
                    answer(batch, results)
                }
                publishEvents()
            } catch {
                return stop(error.error, batch: batch, results: error.results)
            }
            guard case .end = dequeued else { continue }
            do throws(Failure) {
                return try detachLog()
            } catch {
                return stop(error.error, batch: [], results: [])
            }
        }
    }

    private func publishEvents() {
        if let newest = newestEvent { onEvents(newest) }
        newestEvent = nil
    }

    /// Submissions whose completions are called in one `whileAnswering`: the first answers are sent while the next are
    /// made.
    private static let answersAtOnce = 256

    private func answer(_ batch: [Submission], _ results: [SubmissionResult]) {
        for start in stride(from: 0, to: batch.count, by: Self.answersAtOnce) {
            options.whileAnswering {
                for index in start..<min(start + Self.answersAtOnce, batch.count) {
                    batch[index].complete(results[index])
                }
            }
        }
    }

    /// Answers everything with the error, but for the results that are known, and stops for good.
    private func stop(_ error: RegistryError, batch: [Submission], results: [SubmissionResult?]) {
        let waiting = queue.fail(error)
        for (index, submission) in batch.enumerated() {
            submission.complete(index < results.count ? results[index] ?? .failure(error) : .failure(error))
        }
        for submission in waiting { submission.complete(.failure(error)) }
        open?.abort()
        gate.fail(error)
        onFailure(error)
    }

    // MARK: A batch

    /// Returns the result of every submission of a batch, in order.
    private func write(_ batch: [Submission]) throws(Fatal) -> [SubmissionResult] {
        let uptime = uptimeMilliseconds()
        let admission: SpaceGauge.Admission
        do {
            if policy.bulkIngestHasEnded(at: uptime) {
                context.releaseBulkCaches()
                try wal.removeRecords()
            }
            admission = try gauge.admission(to: environment, at: uptime)
        } catch {
            throw Fatal(error: failure(error).error)
        }
        var results: [SubmissionResult?] = batch.map { submission in
            if let deadline = submission.deadline, uptime > deadline { return .failure(.deadline) }
            return admission.admits(submission.work) ? nil : .failure(.storageFull)
        }
        let admitted = batch.indices.filter { results[$0] == nil }
        do throws(Failure) {
            let started = LMDBRegistry.monotonicNanoseconds()
            let logged = try appendToLog(admitted, of: batch, at: uptime)
            let answers = if let logged { logged } else { try applyAndCommit(admitted[...], of: batch) }
            if !admitted.isEmpty {
                options.onCommit(
                    admitted.reduce(0) { $0 + batch[$1].count }, LMDBRegistry.monotonicNanoseconds() - started)
            }
            if admitted.count == batch.count { return answers.map { .success($0) } }
            for (index, answer) in zip(admitted, answers) { results[index] = .success(answer) }
        } catch {
            if error.isFatal { throw Fatal(error: error.error, results: results) }
            try writeHalves(admitted[...], error.error, of: batch, into: &results)
        }
        return results.map { $0 ?? .failure(.closed) }
    }

    /// Applies everything and appends it to the write-ahead log. Returns nil, without a change, if the batch
    /// must be committed now.
    private func appendToLog(
        _ admitted: [Int], of batch: [Submission], at uptime: UInt64
    ) throws(Failure) -> [Submission.Answer]? {
        if gate.clearReaders() { policy.otherWorkSeen(at: uptime) }
        var (changes, isBulkIngest) = (0, !admitted.isEmpty)
        for index in admitted {
            changes += batch[index].count
            guard !ChangeRecordCodec.canEncode(batch[index].work) else { continue }
            isBulkIngest = false
            if ChangeRecordCodec.isForeground(batch[index].work) { policy.otherWorkSeen(at: uptime) }
        }
        guard isBulkIngest, !context.isFull else { return nil }
        let answers: [Submission.Answer]
        do {
            let pages = try open?.transaction.changedPages() ?? 0
            guard policy.admits(changes: changes, bytes: wal.byteCount, pages: pages, at: uptime) else {
                return nil
            }
            answers = try apply(admitted[...], of: batch)
            guard try mayDefer(admitted, of: batch) else {
                try commit()
                return answers
            }
        } catch {
            let failure = self.failure(error)
            if failure.isFatal { throw failure }
            // The batch is tried again without the log, and gets the error there.
            try rollBack()
            return nil
        }
        let isInPlace: Bool
        do throws(RegistryError) {
            try wal.append(frames.bytes)
            isInPlace = try wal.isInPlace
        } catch {
            // How much of the record is on the disk is unknown until the next start.
            throw Failure(error: error, isFatal: true)
        }
        guard isInPlace else { return try commitWithoutLog(answers) }
        policy.appended(changes: changes, at: uptime)
        gate.close()
        return answers
    }

    /// Encodes changes that are applied. Returns false if they must be committed at once: there would be no room for
    /// the commit later, or the record would be too long.
    private func mayDefer(_ admitted: [Int], of batch: [Submission]) throws -> Bool {
        guard let open else { return false }
        try context.extendTokenCaches(in: &open.transaction)
        guard gauge.mayDefer(changedPages: try open.transaction.changedPages()) else { return false }
        frames.removeAll()
        for index in admitted { ChangeRecordCodec.append(batch[index].work, to: &frames) }
        return WALRecord.canHold(frames.bytes)
    }

    /// Applies everything and commits it, with the changes that only the write-ahead log has; a full map grows while it
    /// may.
    func applyAndCommit(
        _ admitted: ArraySlice<Int>, of batch: [Submission]
    ) throws(Failure) -> [Submission.Answer] {
        // If all are refused there may still be changes of the log to commit.
        if admitted.isEmpty && open == nil { return [] }
        while true {
            do {
                let answers = try apply(admitted, of: batch)
                try commit()
                return answers
            } catch {
                let failure = self.failure(error)
                // Nothing more is read or written: what the disk has is what the next start finds.
                if failure.isFatal { throw failure }
                try rollBack()
                let makesRoom = admitted.allSatisfy { SpaceGauge.Admission.least.admits(batch[$0].work) }
                if LMDBError.Code.mapFull ~= error, try growMap(hasOverdraft: makesRoom) { continue }
                throw failure
            }
        }
    }

    private func apply(_ admitted: ArraySlice<Int>, of batch: [Submission]) throws -> [Submission.Answer] {
        let open = try openTransaction()
        var answers: [Submission.Answer] = []
        answers.reserveCapacity(admitted.count)
        for index in admitted { answers.append(try applier.apply(batch[index].work, in: &open.transaction)) }
        return answers
    }
}
