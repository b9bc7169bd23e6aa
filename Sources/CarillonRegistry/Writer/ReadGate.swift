import CarillonCore
import Synchronization

/// Keeps readers from a snapshot that does not show everything answered: what is in the journal alone, no snapshot shows.
///
/// It is open but in a flood of changes, and then it costs readers two loads.
final class ReadGate: Sendable {
    typealias Waiting = @Sendable (RegistryError?) -> Void

    private let isClosed = Atomic<Bool>(false)
    private let hasReaders = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var waiting: [Waiting] = []
        /// Why it never opens again.
        var failure: RegistryError?
    }

    /// Whether a snapshot that begins now shows everything answered. Takes note that somebody reads.
    var isOpen: Bool {
        if !hasReaders.load(ordering: .relaxed) { hasReaders.store(true, ordering: .relaxed) }
        return !isClosed.load(ordering: .sequentiallyConsistent)
    }

    /// Calls `body` when the gate opens, on the writer's thread, or with the error if it never will; false, and nothing is called,
    /// if it is open.
    func wait(_ body: @escaping Waiting) -> Bool {
        let failure: RegistryError?? = state.withLock { state in
            guard isClosed.load(ordering: .sequentiallyConsistent) else { return nil }
            if state.failure == nil { state.waiting.append(body) }
            return .some(state.failure)
        }
        guard let failure else { return false }
        if let failure { body(failure) }
        return true
    }

    // MARK: For the writer

    /// Whether somebody has read since this was asked last.
    func takeReaders() -> Bool {
        hasReaders.load(ordering: .relaxed) && hasReaders.exchange(false, ordering: .relaxed)
    }

    /// Before anything is answered that no snapshot shows.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
    }

    /// Snapshots show everything.
    func open() {
        let waiting = state.withLock { state in
            isClosed.store(false, ordering: .sequentiallyConsistent)
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body(nil) }
    }

    /// The registry has failed: if snapshots do not show everything now, they never will.
    func fail(_ error: RegistryError) {
        let waiting = state.withLock { state in
            state.failure = error
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body(error) }
    }
}
