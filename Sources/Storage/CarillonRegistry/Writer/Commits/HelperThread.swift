import CarillonCore
import CarillonLMDB
import CarillonThread

/// A thread that does one kind of task for the writer, one task at a time: it appends records to the log, or syncs
/// commits, while the writer applies changes.
// Safety: `state`, `body` and `isStopped` are only touched with `lock` held, `isUnderWay` only by the writer. What
// `body` uses belongs to this thread from ``begin(_:)`` to ``takeOutput()``, otherwise to the writer.
final class HelperThread<Input, Output>: @unchecked Sendable {
    private enum State {
        case idle
        /// A task was begun, and the thread has not taken it yet.
        case waiting(Input)
        case busy
        case done(Result<Output, RegistryError>)
    }

    /// Does a task; nil when the thread has ended, which releases the values that the closure holds.
    private var body: ((Input) -> Result<Output, RegistryError>)?
    private let lock = ConditionLock()
    private let queue: WriteQueue
    private let task: WriteQueue.HelperTasks
    private var state = State.idle
    private var isStopped = false
    /// True from ``begin(_:)`` to ``takeOutput()``.
    private(set) var isUnderWay = false

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the name of the thread in tools such as `top -H`.
    ///   - task: the kind of the tasks, by which the queue knows which one has ended.
    ///   - body: does a task. Called on the thread.
    /// - Throws: `.storageFailed` if the system has no thread.
    init(
        named name: String, _ task: WriteQueue.HelperTasks, of queue: WriteQueue,
        _ body: @escaping (Input) -> Result<Output, RegistryError>
    ) throws(RegistryError) {
        self.body = body
        self.task = task
        self.queue = queue
        do {
            try SystemThread.start(named: name) { [self] in run() }
        } catch {
            throw .storageFailed(error.description)
        }
    }

    /// Begins a task. The output of the one before must have been taken.
    func begin(_ input: Input) {
        precondition(!isUnderWay, "a task is under way")
        isUnderWay = true
        queue.taskWillBegin(task)
        lock.withLock { state = .waiting(input) }
        lock.signalAll()
    }

    /// True if the task that was begun is done: ``takeOutput()`` does not wait.
    var isDone: Bool {
        lock.withLock { if case .done = state { true } else { false } }
    }

    /// Waits for the task that was begun, and returns its output.
    ///
    /// - Throws: the error of the task.
    func takeOutput() throws(RegistryError) -> Output {
        precondition(isUnderWay, "no task is under way")
        isUnderWay = false
        let result = lock.withLock {
            while true {
                if case .done(let result) = state {
                    state = .idle
                    return result
                }
                lock.wait()
            }
        }
        return try result.get()
    }

    /// Waits for the task that was begun, if any, and ignores its result.
    func waitIfUnderWay() {
        guard isUnderWay else { return }
        // Why try?: the writer ends for another failure, which it reports.
        _ = try? takeOutput()
    }

    /// Ends the thread, and waits for its end. The output of every task that was begun must have been taken.
    func stop() {
        precondition(!isUnderWay, "a task is under way")
        lock.withLock {
            isStopped = true
            lock.signalAll()
            while body != nil { lock.wait() }
        }
    }

    private func run() {
        while let (input, body) = waitForTask() {
            let result = body(input)
            lock.withLock { state = .done(result) }
            lock.signalAll()
            queue.taskEnded(task)
        }
        lock.withLock { body = nil }
        lock.signalAll()
    }

    /// Waits for a task, and takes it; returns nil if the thread must end.
    private func waitForTask() -> (Input, (Input) -> Result<Output, RegistryError>)? {
        lock.withLock {
            while !isStopped {
                if case .waiting(let input) = state, let body {
                    state = .busy
                    return (input, body)
                }
                lock.wait()
            }
            return nil
        }
    }
}
