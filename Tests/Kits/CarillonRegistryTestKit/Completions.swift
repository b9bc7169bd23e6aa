package import CarillonCore
package import CarillonRegistry
import Dispatch
import Synchronization

/// The results of submissions, in the order in which they were completed.
package final class Completions: Sendable {
    package typealias Outcome = Result<[ChangeAnswer], RegistryError>

    private let results = Mutex<[(number: Int, result: Outcome)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    package init() {}

    /// Returns the completion of a submission, which has this number in the results.
    package func completion(_ number: Int = 0) -> @Sendable (Outcome) -> Void {
        { [self] result in
            results.withLock { $0.append((number, result)) }
            arrived.signal()
        }
    }

    /// Returns the completion of a submission of one change.
    package func completionOfOne(_ number: Int = 0) -> @Sendable (Result<ChangeAnswer, RegistryError>) -> Void {
        let completion = completion(number)
        return { result in completion(result.map { [$0] }) }
    }

    /// Waits for `count` completions and returns all of them.
    package func wait(_ count: Int = 1) -> [(number: Int, result: Outcome)] {
        for _ in 0..<count { arrived.wait() }
        return results.withLock { $0 }
    }
}
