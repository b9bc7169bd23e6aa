/// A result that one thread sets and another waits for.
// Safety: `result` is only touched with `lock` held.
package final class BlockingResult<Value: Sendable, Failure: Error>: @unchecked Sendable {
    private let lock = ConditionLock()
    private var result: Result<Value, Failure>?

    package init() {}

    /// Sets the result and wakes the thread that waits.
    package func set(_ result: Result<Value, Failure>) {
        lock.withLock { self.result = result }
        lock.signalAll()
    }

    /// Blocks this thread until the result is set, for as long as it takes.
    package func wait() -> Result<Value, Failure> {
        lock.withLock {
            while true {
                if let result { return result }
                lock.wait()
            }
        }
    }
}
