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

    private struct Counts {
        var connections = 0
        var handshakes = 0
        var byAddress: [String: Int] = [:]
    }

    private let limits: Limits
    private let counts = Mutex(Counts())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// A connection from `address` has come; false if it is one too many and must go.
    func admit(_ address: String) -> Bool {
        counts.withLock { counts in
            guard counts.connections < limits.connections, counts.handshakes < limits.handshakes,
                counts.byAddress[address, default: 0] < limits.handshakesPerAddress
            else { return false }
            counts.connections += 1
            counts.handshakes += 1
            counts.byAddress[address, default: 0] += 1
            return true
        }
    }

    /// An admitted connection is open, or ended before it was.
    func handshakeEnded(_ address: String) {
        counts.withLock { counts in
            counts.handshakes -= 1
            let left = (counts.byAddress[address] ?? 1) - 1
            counts.byAddress[address] = left > 0 ? left : nil
        }
    }

    /// An admitted connection is over.
    func connectionEnded() {
        counts.withLock { $0.connections -= 1 }
    }
}
