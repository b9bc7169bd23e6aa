import CarillonCore
import Synchronization

/// The gate that keeps readers from a snapshot that lacks answered changes. A snapshot shows only what was committed.
///
/// A change is answered when the write-ahead log has it, and many changes share one commit. So the newest answers are
/// ahead of every snapshot, and a client that reads directly after its own change would miss it. The gate prevents
/// that:
///
/// - It is closed while there are answered changes that no commit contains. An open gate costs a reader one atomic
///   load.
/// - Long reads wait until it opens.
/// - Short reads do not wait. The writer runs them in the open transaction, unless they are about devices that have not
///   changed (``LastDeviceChanges``).
/// - After an abort the gate is closed for all devices until everything is committed, because it is unknown which of
///   them have changed.
///
/// For example, a REGISTER is applied: its device is marked, the gate is closed, and the answer goes out. A LOOKUP of
/// that device is now answered by the writer, one of an unchanged device from a snapshot, and TOPICS waits. The next
/// commit contains the REGISTER. The gate opens, and TOPICS is read from a snapshot.
final class ReadGate: Sendable {
    typealias Waiter = @Sendable (RegistryError?) -> Void

    private enum Opening: UInt8, AtomicRepresentable {
        case open, closedForChangedDevices, closedForAllReads
    }

    private let opening = Atomic<Opening>(.open)
    private let state = Mutex(State())

    private struct State {
        var waiters: [Waiter] = []
        /// The error that keeps the gate closed for ever; nil while it may open.
        var failure: RegistryError?
    }

    /// True if a snapshot that begins now shows everything that is answered.
    var isOpen: Bool { opening.load(ordering: .sequentiallyConsistent) == .open }

    /// True if it is known which devices have changed since a snapshot that has begun.
    var knowsChangedDevices: Bool { opening.load(ordering: .sequentiallyConsistent) != .closedForAllReads }

    /// Calls `body` when the gate opens, on the writer thread, or with the error if it never will. Returns
    /// false, without a call, if the gate is open.
    func waitIfClosed(_ body: @escaping Waiter) -> Bool {
        let failure: RegistryError?? = state.withLock { state in
            guard !isOpen else { return nil }
            if state.failure == nil { state.waiters.append(body) }
            return .some(state.failure)
        }
        guard let failure else { return false }
        if let failure { body(failure) }
        return true
    }

    /// The error of a gate that is closed and never opens again; nil if it is open, or will open.
    var failure: RegistryError? { isOpen ? nil : state.withLock { $0.failure } }

    // MARK: For the writer

    /// True if reads wait.
    var hasReaders: Bool { !isOpen && state.withLock { !$0.waiters.isEmpty } }

    /// Closes the gate, unless it is closed already. Call it before answering a change that no snapshot shows.
    func closeForChangedDevices() {
        if isOpen { opening.store(.closedForChangedDevices, ordering: .sequentiallyConsistent) }
    }

    /// Closes the gate for all reads, until it opens. Call it before answered changes are applied again.
    func closeForAllReads() {
        opening.store(.closedForAllReads, ordering: .sequentiallyConsistent)
    }

    /// Opens the gate: snapshots show everything.
    func open() {
        let waiters = state.withLock { state in
            opening.store(.open, ordering: .sequentiallyConsistent)
            defer { state.waiters = [] }
            return state.waiters
        }
        for body in waiters { body(nil) }
    }

    /// Fails the gate with the registry: if snapshots do not show everything now, they never will.
    func fail(_ error: RegistryError) {
        let waiters = state.withLock { state in
            state.failure = error
            defer { state.waiters = [] }
            return state.waiters
        }
        for body in waiters { body(error) }
    }
}
