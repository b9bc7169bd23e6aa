package import CarillonCluster
import Dispatch
import Synchronization

/// Makes a call of a log and waits for its answer.
///
/// - Parameter call: a closure that makes the call with this completion.
package func awaitAnswer<Answer: Sendable>(
    _ call: (@escaping LogCompletion<Answer>) -> Void
) -> Result<Answer, LogError> {
    let answer = BlockingAnswer<Answer>()
    call { answer.set($0) }
    return answer.wait()
}

/// An answer that one thread sets and another waits for.
final class BlockingAnswer<Answer: Sendable>: Sendable {
    private let result = Mutex<Result<Answer, LogError>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    /// Sets the answer, and wakes the thread that waits.
    func set(_ answer: Result<Answer, LogError>) {
        result.withLock { $0 = answer }
        isSet.signal()
    }

    func wait() -> Result<Answer, LogError> {
        isSet.wait()
        return result.withLock { $0 } ?? .failure(.unavailable(.unknown, "there was no answer"))
    }
}
