import CarillonCore
import Synchronization

/// Keeps readers from a snapshot that lacks answered changes: no snapshot shows what only the write-ahead log has.
///
/// The gate is open except during bulk ingest. An open gate costs a reader two atomic loads.
final class ReadGate: Sendable {
    typealias Waiting = @Sendable (RegistryError?) -> Void

    private let isClosed = Atomic<Bool>(false)
    private let hasReaders = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var waiting: [Waiting] = []
        /// Why the gate never opens again.
        var failure: RegistryError?
    }

    /// Records that there is a reader, for `clearReaders`. Returns true if a snapshot that begins now shows everything
    /// answered.
    func arrive() -> Bool {
        if !hasReaders.load(ordering: .relaxed) { hasReaders.store(true, ordering: .relaxed) }
        return !isClosed.load(ordering: .sequentiallyConsistent)
    }

    /// Calls `body` when the gate opens, on the writer thread, or with the error if it never will. Returns
    /// false, without a call, if the gate is open.
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

    /// The error of a gate that is closed and never opens again; nil if it is open, or will open.
    var failure: RegistryError? {
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return nil }
        return state.withLock { $0.failure }
    }

    // MARK: For the writer

    /// Returns true if there was a reader since the last call.
    func clearReaders() -> Bool {
        hasReaders.load(ordering: .relaxed) && hasReaders.exchange(false, ordering: .relaxed)
    }

    /// Closes the gate. To be called before a change is answered that no snapshot shows.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
    }

    /// Opens the gate: snapshots show everything.
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
