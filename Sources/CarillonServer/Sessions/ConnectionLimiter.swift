import Synchronization

/// Counts connections, so that one address, or many half-open connections, cannot use up the server.
final class ConnectionLimiter: Sendable {
    /// The numbers of connections that are allowed.
    struct Limits: Sendable {
        /// Connections at the same time.
        var connections: Int
        /// Connections that are not open yet.
        var handshakes: Int
        /// Connections from one address that are not open yet.
        var handshakesPerAddress: Int
    }

    /// The limit that a connection would pass.
    struct Rejection: Hashable, Sendable {
        /// The setting of the limit.
        var setting: Setting
        /// The number of connections that are allowed.
        var limit: Int
    }

    /// The numbers of connections that are there.
    struct Counts: Sendable {
        /// All connections.
        var connections = 0
        /// Those that are not open yet.
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

    /// The numbers of connections now.
    var counts: Counts { state.withLock { $0.counts } }

    /// Sets other limits; connections that were admitted stay.
    func limit(to limits: Limits) { state.withLock { $0.limits = limits } }

    /// Admits and counts a connection from `address`; returns the limit that it would pass, or nil if it is admitted.
    func admit(_ address: String) -> Rejection? {
        state.withLock { state in
            let (limits, counts) = (state.limits, state.counts)
            for (count, setting, limit) in [
                (counts.connections, Setting.limitsConnections, limits.connections),
                (counts.handshakes, .limitsHandshakes, limits.handshakes),
                (counts.byAddress[address, default: 0], .limitsHandshakesPerAddress, limits.handshakesPerAddress),
            ] where count >= limit { return Rejection(setting: setting, limit: limit) }
            state.counts.connections += 1
            state.counts.handshakes += 1
            state.counts.byAddress[address, default: 0] += 1
            return nil
        }
    }

    /// An admitted connection is open, or has ended before that.
    func handshakeEnded(_ address: String) {
        state.withLock { state in
            state.counts.handshakes -= 1
            let left = (state.counts.byAddress[address] ?? 1) - 1
            state.counts.byAddress[address] = left > 0 ? left : nil
        }
    }

    /// An admitted connection has ended.
    func connectionEnded() {
        state.withLock { $0.counts.connections -= 1 }
    }
}
