import CarillonCore
import Synchronization

/// The results of changes that were submitted together and are independent of each other. The completion is called
/// once, when the last result is known.
final class CompletionBarrier: Sendable {
    typealias Results = [Result<ChangeAnswer, RegistryError>]

    private struct State {
        var results: Results
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Results) -> Void

    /// Makes a barrier for `count` results.
    ///
    /// - Parameter count: results to wait for, at least one.
    init(count: Int, _ completion: @escaping @Sendable (Results) -> Void) {
        // Every element is overwritten before the completion gets the results.
        state = Mutex(State(results: Array(repeating: .failure(.closed), count: count), missing: count))
        self.completion = completion
    }

    /// Sets the result of the change at `index`. Call it once for each change.
    func set(_ result: Result<ChangeAnswer, RegistryError>, at index: Int) {
        let results: Results? = state.withLock { state in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results : nil
        }
        if let results { completion(results) }
    }
}
