import CarillonCore
import Synchronization

/// The results of changes that were submitted together, each for itself: told when the last of them is known.
final class GatheredResults: Sendable {
    typealias Results = [Result<ChangeAnswer, RegistryError>]

    private struct State {
        var results: Results
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Results) -> Void

    /// - Parameter count: at least one.
    init(count: Int, _ completion: @escaping @Sendable (Results) -> Void) {
        // Every one of these is overwritten before anybody sees it.
        state = Mutex(State(results: Array(repeating: .failure(.closed), count: count), missing: count))
        self.completion = completion
    }

    /// What became of the change at `index`; called once for each.
    func set(_ result: Result<ChangeAnswer, RegistryError>, at index: Int) {
        let results: Results? = state.withLock { state in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results : nil
        }
        if let results { completion(results) }
    }
}
