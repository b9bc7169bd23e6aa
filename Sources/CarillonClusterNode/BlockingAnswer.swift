package import CarillonCluster
import Dispatch
import Synchronization

/// Makes a call of a log and waits for its answer.
///
/// - Parameter call: a closure that makes the call with this completion.
package func answer<Answer: Sendable>(
    _ call: (@escaping LogCompletion<Answer>) -> Void
) -> Result<Answer, LogError> {
    let box = AnswerBox<Answer>()
    call { box.set($0) }
    return box.wait()
}

/// An answer that one thread sets and another waits for.
final class AnswerBox<Answer: Sendable>: Sendable {
    private let found = Mutex<Result<Answer, LogError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Sets the answer, and wakes the thread that waits.
    func set(_ result: Result<Answer, LogError>) {
        found.withLock { $0 = result }
        isThere.signal()
    }

    /// Waits for the answer and returns it.
    func wait() -> Result<Answer, LogError> {
        isThere.wait()
        return found.withLock { $0 } ?? .failure(.unavailable(.unknown, "there was no answer"))
    }
}
