import Synchronization

/// Counts connections, so that one address or a flood of half-open ones cannot take all the room.
final class ConnectionLimiter: Sendable {
    /// How many are allowed.
    struct Limits: Sendable {
        /// Connections at a time.
        var connections: Int
        /// Connections that are not open yet.
        var handshakes: Int
        /// Of these, from one address.
        var handshakesPerAddress: Int
    }

    /// How many there are.
    struct Counts: Sendable {
        /// Connections.
        var connections = 0
        /// Of these, those that are not open yet.
        var handshakes = 0
        fileprivate var byAddress: [String: Int] = [:]
    }

    private struct State {
        var limits: Limits
        var counts = Counts()
    }

    private let state: Mutex<State>

    init(_ limits: Limits) {
        state = Mutex(State(limits: limits))
    }

    /// How many there are now.
    var counts: Counts { state.withLock { $0.counts } }

    /// Sets other limits; those who are in stay in.
    func limit(to limits: Limits) { state.withLock { $0.limits = limits } }

    /// A connection from `address` has come; false if it is one too many and must go.
    func admit(_ address: String) -> Bool {
        state.withLock { state in
            let limits = state.limits
            guard state.counts.connections < limits.connections, state.counts.handshakes < limits.handshakes,
                state.counts.byAddress[address, default: 0] < limits.handshakesPerAddress
            else { return false }
            state.counts.connections += 1
            state.counts.handshakes += 1
            state.counts.byAddress[address, default: 0] += 1
            return true
        }
    }

    /// An admitted connection is open, or ended before it was.
    func handshakeEnded(_ address: String) {
        state.withLock { state in
            state.counts.handshakes -= 1
            let left = (state.counts.byAddress[address] ?? 1) - 1
            state.counts.byAddress[address] = left > 0 ? left : nil
        }
    }

    /// An admitted connection is over.
    func connectionEnded() {
        state.withLock { $0.counts.connections -= 1 }
    }
}
