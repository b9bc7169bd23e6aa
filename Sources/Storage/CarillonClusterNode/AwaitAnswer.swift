package import CarillonCluster
import CarillonThread

/// Makes a call of a log and waits for its answer.
///
/// - Parameter call: a closure that makes the call with this completion.
package func awaitAnswer<Answer: Sendable>(
    _ call: (@escaping LogCompletion<Answer>) -> Void
) -> Result<Answer, LogError> {
    let answer = BlockingResult<Answer, LogError>()
    call { answer.set($0) }
    return answer.wait()
}
