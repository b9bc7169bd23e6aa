import CarillonCore
import Synchronization

/// The memory budget that all connections share. Used from every event loop.
final class ConnectionMemory: Sendable {
    private struct State {
        var budget: MemoryBudget
        /// How often bytes were refused since the start.
        var refusals: UInt64 = 0
    }

    private let state: Mutex<State>
    private let scarce = Atomic<Bool>(false)

    /// True while more than half of the memory is held: answers are then made in short pieces.
    var isScarce: Bool { scarce.load(ordering: .relaxed) }

    /// - Parameter limit: bytes.
    init(limit: Int) {
        state = Mutex(State(budget: MemoryBudget(limit: limit)))
    }

    /// The bytes that are held, and how often bytes were refused since the start.
    var load: (used: Int, refusals: UInt64) { state.withLock { ($0.budget.used, $0.refusals) } }

    func take(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
        state.withLock { state in
            guard state.budget.take(bytes, for: use, of: principal) else {
                state.refusals += 1
                return false
            }
            updateScarcity(state.budget)
            return true
        }
    }

    func giveBack(_ bytes: Int, of use: MemoryBudget.Use, by principal: String) {
        state.withLock { state in
            state.budget.giveBack(bytes, of: use, by: principal)
            updateScarcity(state.budget)
        }
    }

    private func updateScarcity(_ budget: MemoryBudget) {
        scarce.store(budget.used > budget.limit / 2, ordering: .relaxed)
    }
}
