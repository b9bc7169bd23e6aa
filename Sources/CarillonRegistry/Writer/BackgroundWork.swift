import CarillonCore
import CarillonLMDB

/// A thread that does one kind of work for the writer, one piece at a time: it appends records to the log, or syncs
/// commits, while the writer applies changes.
///
// Safety: mutable properties are only touched with `lock` held. What `body` uses belongs to this thread from
// ``begin(_:)`` to ``end()``, otherwise to the writer.
final class BackgroundWork<Input, Output>: @unchecked Sendable {
    /// Nil when the thread has ended: what it holds is released then.
    private var body: ((Input) -> Result<Output, RegistryError>)?
    private let lock = ConditionLock()
    /// Called on this thread when a piece of work has ended.
    private let onEnd: @Sendable () -> Void
    private var input: Input?
    private var result: Result<Output, RegistryError>?
    private var isStopped = false

    /// Starts the thread.
    ///
    /// - Throws: `.storageFailed` if there is no thread.
    init(
        onEnd: @escaping @Sendable () -> Void, _ body: @escaping (Input) -> Result<Output, RegistryError>
    ) throws(RegistryError) {
        (self.body, self.onEnd) = (body, onEnd)
        try SystemThread.start { [self] in run() }
    }

    /// Begins a piece of work; the one before has ended.
    func begin(_ input: Input) {
        lock.withLock { self.input = input }
        lock.signalAll()
    }

    /// True if the work that was begun is done: ``end()`` does not wait.
    var isDone: Bool { lock.withLock { result != nil } }

    /// Waits for the work that was begun.
    func end() throws(RegistryError) -> Output {
        let result = lock.withLock {
            while true {
                if let result = self.result {
                    self.result = nil
                    return result
                }
                lock.wait()
            }
        }
        return try result.get()
    }

    /// Ends the thread, and waits for its end. No work may be under way.
    func stop() {
        lock.withLock {
            isStopped = true
            lock.signalAll()
            while body != nil { lock.wait() }
        }
    }

    private func run() {
        while let (input, body) = next() {
            let result = body(input)
            lock.withLock { self.result = result }
            lock.signalAll()
            onEnd()
        }
        lock.withLock { body = nil }
        lock.signalAll()
    }

    private func next() -> (Input, (Input) -> Result<Output, RegistryError>)? {
        lock.withLock {
            while input == nil, !isStopped { lock.wait() }
            defer { input = nil }
            guard let input, let body else { return nil }
            return (input, body)
        }
    }
}
