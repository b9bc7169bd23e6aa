import CarillonCore
import Synchronization

/// The memory budget that all connections share. Used from every event loop.
final class SharedMemoryBudget: Sendable {
    private struct State {
        var budget: MemoryBudget
        /// The number of times that bytes were refused since the start.
        var refusals: UInt64 = 0
        /// The most bytes that were held since `takeTrimSignal` returned true.
        var peakBytes = 0
    }

    private let state: Mutex<State>
    private let scarce = Atomic<Bool>(false)

    /// True while more than a quarter of the memory is held: answers are then made in short pieces. One principal alone
    /// can hold that much (`MemoryBudget.principalLimitBytes`).
    var isScarce: Bool { scarce.load(ordering: .relaxed) }

    /// Makes a memory budget with nothing held.
    init(limitBytes: Int) {
        state = Mutex(State(budget: MemoryBudget(limitBytes: limitBytes)))
    }

    /// The bytes that are held, and the number of refusals since the start.
    var usage: (bytes: Int, refusals: UInt64) { state.withLock { ($0.budget.usedBytes, $0.refusals) } }

    /// Sets another limit, in bytes; bytes that are held stay held.
    func setLimit(_ bytes: Int) { state.withLock { $0.budget.limitBytes = bytes } }

    /// Takes bytes for a principal; returns false if they do not fit.
    func take(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
        state.withLock { state in
            guard state.budget.take(bytes, for: use, of: principal) else {
                state.refusals += 1
                return false
            }
            state.peakBytes = max(state.peakBytes, state.budget.usedBytes)
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

    /// Returns true, once, after more than an eighth of the memory was held and nearly none is held now. Then the
    /// allocator has much free memory, which `HeapTrimmer` gives back to the system.
    func takeTrimSignal() -> Bool {
        state.withLock { state in
            guard state.peakBytes > state.budget.limitBytes / 8, state.budget.usedBytes < state.budget.limitBytes / 64
            else {
                return false
            }
            state.peakBytes = 0
            return true
        }
    }

    private func updateScarcity(_ budget: MemoryBudget) {
        scarce.store(budget.usedBytes > budget.limitBytes / 4, ordering: .relaxed)
    }
}
