import CarillonCore
import CarillonLMDB
import CarillonThread
import Synchronization

/// The submissions that wait for the writer thread, in order, and the reads that wait for it.
///
/// Submissions are bounded by the number of their changes and by their bytes: `append` refuses more. Reads need no
/// bound, because a caller waits for its read before it asks for the next. So a connection or a thread has one read
/// here at most, and delivery has as many as it reads pages at a time. Principals take turns at reads.
// Safety: all mutable properties are only touched with `lock` held; `chunkCount` is atomic.
final class WriteQueue: @unchecked Sendable {
    private let lock = ConditionLock()
    private let options: LMDBRegistry.Options
    /// The number of chunks of the largest app, as the writer has counted them last.
    let chunkCount = Atomic<Int>(0)

    /// The most submissions for which memory is reserved before they come.
    private static let maximumReserved = 4_096

    private var submissions: [Submission] = []
    private var reads = RoundRobinQueue<WriterRead>(maximumRunning: 1)
    /// The number of changes in the submissions.
    private var changeCount = 0
    /// The number of bytes of these changes, roughly.
    private var byteCount = 0
    private var phase = Phase.open
    private var writerState = WriterState.running
    /// The number of callers of ``waitUntilEmpty(withinMilliseconds:)``.
    private var drainWaiters = 0
    /// True if `wake` was called since the writer dequeued last.
    private var isWoken = false
    /// The tasks of helper threads that have ended, and whose result the writer has not taken.
    private var endedTasks: HelperTasks = []
    private let mayHaveReads = Atomic<Bool>(false)

    /// The result of ``dequeue(withinMilliseconds:)``.
    enum DequeueResult {
        /// The submissions of one record of the log, at least one.
        case batch([Submission])
        /// The writer has taken no submission: there are reads, or `wake` was called.
        case woken
        case timeout
        /// The queue is closed, and has nothing that the caller takes.
        case closed
    }

    private enum Phase {
        /// The queue accepts submissions.
        case open
        /// The queue refuses submissions; the submissions that wait are still written.
        case closing
        /// The disk has failed: nothing more is written.
        case failed(RegistryError)
    }

    private enum WriterState {
        /// The writer takes submissions and reads.
        case running
        /// The queue accepts neither submissions nor reads; the writer still answers the work that it has.
        case ending
        /// The writer has answered everything and has released the database.
        case stopped
    }

    init(options: LMDBRegistry.Options) {
        self.options = options
    }

    /// Appends a submission. Returns nil if it was accepted, otherwise the reason: `.overloaded`, `.closed`, or the
    /// failure of the disk.
    func append(_ submission: Submission) -> RegistryError? {
        lock.withLock { enqueue(submission) }
    }

    /// Appends `count` submissions, which `makeSubmission` makes in order. Returns the ones that are refused, each with
    /// the reason.
    func append(
        count: Int, _ makeSubmission: (Int) -> Submission
    ) -> [(submission: Submission, refusal: RegistryError)] {
        lock.withLock {
            var refused: [(submission: Submission, refusal: RegistryError)] = []
            for index in 0..<count {
                let submission = makeSubmission(index)
                if let refusal = enqueue(submission) { refused.append((submission, refusal)) }
            }
            return refused
        }
    }

    /// Appends a submission, or returns the reason of its refusal. The lock must be held.
    private func enqueue(_ submission: Submission) -> RegistryError? {
        switch phase {
        case .closing: return .closed
        case .failed(let error): return error
        case .open: break
        }
        guard submission.changeCount <= options.maximumQueueChanges - changeCount,
            submission.byteCount <= options.maximumQueueBytes - byteCount
        else {
            return .overloaded
        }
        // The writer waits only for the first submission.
        if submissions.isEmpty { lock.signalAll() }
        changeCount += submission.changeCount
        byteCount += submission.byteCount
        submissions.append(submission)
        return nil
    }

    /// Waits for submissions and removes as many as make one record of the log.
    ///
    /// - Parameters:
    ///   - milliseconds: the timeout; nil to wait for as long as it takes.
    ///   - takesSubmissions: false to leave the submissions in the queue.
    func dequeue(withinMilliseconds milliseconds: UInt64?, takesSubmissions: Bool = true) -> DequeueResult {
        lock.withLock {
            let deadline = milliseconds.map { ConditionLock.Deadline(afterMilliseconds: $0) }
            while submissions.isEmpty || !takesSubmissions, reads.count == 0, !isWoken {
                guard case .open = phase else { return .closed }
                if let deadline {
                    if !lock.wait(until: deadline) { return .timeout }
                } else {
                    lock.wait()
                }
            }
            isWoken = false
            return submissions.isEmpty || !takesSubmissions ? .woken : .batch(removeBatch())
        }
    }

    /// Waits until the writer has taken all submissions, but not longer than `milliseconds`. Returns false if some
    /// still wait.
    func waitUntilEmpty(withinMilliseconds milliseconds: UInt64) -> Bool {
        lock.withLock {
            let deadline = ConditionLock.Deadline(afterMilliseconds: milliseconds)
            drainWaiters += 1
            defer { drainWaiters -= 1 }
            while !submissions.isEmpty {
                if !lock.wait(until: deadline) { return submissions.isEmpty }
            }
            return true
        }
    }

    /// Removes all submissions without waiting, even if they are more than one log record.
    func takeAllSubmissions() -> [Submission] {
        lock.withLock { removeAllSubmissions() }
    }

    /// Removes all submissions, and wakes the callers that wait for this. The lock must be held.
    private func removeAllSubmissions() -> [Submission] {
        var removed: [Submission] = []
        swap(&removed, &submissions)
        changeCount = 0
        byteCount = 0
        if drainWaiters > 0 { lock.signalAll() }
        return removed
    }

    /// Removes the submissions of one log record, without waiting; nil if no submission waits.
    func dequeueIfAny() -> [Submission]? {
        lock.withLock { submissions.isEmpty ? nil : removeBatch() }
    }

    /// Removes the submissions of one log record. The lock must be held, and the queue must not be empty.
    private func removeBatch() -> [Submission] {
        if changeCount <= options.maximumBatchChanges && byteCount <= options.maximumBatchBytes {
            // Usually the batch takes all submissions, so they are moved without a copy. About as many are likely to
            // come next.
            let batch = removeAllSubmissions()
            submissions.reserveCapacity(min(batch.count, Self.maximumReserved))
            return batch
        }
        defer { if drainWaiters > 0, submissions.isEmpty { lock.signalAll() } }
        var size = (submissions: 0, changes: 0, bytes: 0)
        while size.submissions < submissions.count {
            let next = submissions[size.submissions]
            let isWithin =
                size.changes + next.changeCount <= options.maximumBatchChanges
                && size.bytes + next.byteCount <= options.maximumBatchBytes
            guard size.submissions == 0 || isWithin else { break }
            size = (size.submissions + 1, size.changes + next.changeCount, size.bytes + next.byteCount)
        }
        let batch = Array(submissions[..<size.submissions])
        submissions.removeFirst(size.submissions)
        changeCount -= size.changes
        byteCount -= size.bytes
        return batch
    }

    // MARK: Helper threads

    /// The tasks that a ``HelperThread`` does for the writer.
    struct HelperTasks: OptionSet {
        let rawValue: UInt8
        /// Appends a record to the log.
        static let append = Self(rawValue: 1)
        /// Syncs a commit.
        static let sync = Self(rawValue: 2)
    }

    /// Called when a task has ended or failed; wakes the writer.
    func taskEnded(_ task: HelperTasks) {
        lock.withLock {
            endedTasks.insert(task)
            // A checkpoint may have waited for this sync.
            if task == .sync { isWoken = true }
        }
        lock.signalAll()
    }

    /// The reason why ``waitForEndOrReads(of:)`` returns.
    enum TaskWaitResult {
        case taskEnded
        /// Reads wait, and the task has not ended.
        case readsCame
    }

    /// Waits until a task has ended, or until there are reads.
    func waitForEndOrReads(of task: HelperTasks) -> TaskWaitResult {
        lock.withLock {
            while !endedTasks.contains(task), reads.count == 0 { lock.wait() }
            return endedTasks.contains(task) ? .taskEnded : .readsCame
        }
    }

    /// Called before a task begins. Forgets the end of the task before it.
    func taskWillBegin(_ task: HelperTasks) {
        _ = lock.withLock { endedTasks.remove(task) }
    }

    // MARK: Reads

    /// Appends a read. Returns false if the writer has stopped, and never will run it.
    func append(_ read: WriterRead) -> Bool {
        lock.withLock {
            if case .failed = phase { return false }
            guard writerState == .running else { return false }
            if reads.count == 0 { lock.signalAll() }
            reads.append(read, of: read.principal)
            mayHaveReads.store(true, ordering: .relaxed)
            return true
        }
    }

    /// True if reads seem to wait. It takes no lock (`mayHaveReads`), so it may be out of date.
    var hasReads: Bool { mayHaveReads.load(ordering: .relaxed) }

    /// Removes all reads, without waiting.
    func takeReads() -> [WriterRead] {
        lock.withLock {
            mayHaveReads.store(false, ordering: .relaxed)
            return reads.removeAll()
        }
    }

    /// Removes the read whose turn it is; nil if no read waits.
    func takeRead() -> WriterRead? {
        lock.withLock {
            let next = reads.begin()
            if let next { reads.pieceEnded(of: next.principal) }
            if reads.count == 0 { mayHaveReads.store(false, ordering: .relaxed) }
            return next?.element
        }
    }

    /// Refuses all later reads. Removes and returns the ones that wait, which the caller must run or fail.
    func refuseLaterReads() -> [WriterRead] {
        lock.withLock {
            writerState = .ending
            return reads.removeAll()
        }
    }

    /// Makes the writer look whether a checkpoint is due, before it dequeues the next batch.
    func wake() {
        lock.withLock { isWoken = true }
        lock.signalAll()
    }

    var load: WriteQueueLoad { lock.withLock { WriteQueueLoad(changes: changeCount, bytes: byteCount) } }

    /// Refuses all later submissions.
    func close() {
        lock.withLock { if case .open = phase { phase = .closing } }
        lock.signalAll()
    }

    /// Refuses all later submissions with `error`, and returns the ones that wait.
    func fail(_ error: RegistryError) -> [Submission] {
        lock.withLock {
            phase = .failed(error)
            return removeAllSubmissions()
        }
    }

    /// Called when the writer thread has released everything.
    func writerStopped() {
        lock.withLock { writerState = .stopped }
        lock.signalAll()
    }

    /// Waits until ``writerStopped()`` is called.
    func waitUntilStopped() {
        lock.withLock {
            while writerState != .stopped { lock.wait() }
        }
    }
}
