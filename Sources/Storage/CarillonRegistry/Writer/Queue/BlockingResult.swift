import CarillonCore
import CarillonThread

/// A result that one thread sets and another waits for.
// Safety: `result` is only touched with `lock` held.
final class BlockingResult<Value: Sendable>: @unchecked Sendable {
    private let lock = ConditionLock()
    private var result: Result<Value, RegistryError>?

    /// Sets the result and wakes the thread that waits.
    func set(_ result: Result<Value, RegistryError>) {
        lock.withLock { self.result = result }
        lock.signalAll()
    }

    func wait() -> Result<Value, RegistryError> {
        lock.withLock {
            while true {
                if let result { return result }
                lock.wait()
            }
        }
    }
}
