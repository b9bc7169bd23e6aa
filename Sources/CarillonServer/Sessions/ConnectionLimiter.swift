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

    /// Why a connection must go: the limit that it would pass.
    struct Refusal: Hashable, Sendable {
        /// The limit's setting.
        var setting: Setting
        /// Connections that are allowed.
        var limit: Int
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

    /// A connection from `address` has come; why it must go if it is one too many.
    func admit(_ address: String) -> Refusal? {
        state.withLock { state in
            let (limits, counts) = (state.limits, state.counts)
            for (count, setting, limit) in [
                (counts.connections, Setting.limitsConnections, limits.connections),
                (counts.handshakes, .limitsHandshakes, limits.handshakes),
                (counts.byAddress[address, default: 0], .limitsHandshakesPerAddress, limits.handshakesPerAddress),
            ] where count >= limit { return Refusal(setting: setting, limit: limit) }
            state.counts.connections += 1
            state.counts.handshakes += 1
            state.counts.byAddress[address, default: 0] += 1
            return nil
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
