import Synchronization

/// A limit of connections that is reached.
struct ConnectionLimit: Hashable, Sendable {
    /// The setting of the limit.
    var setting: Setting
    /// The number of connections that are allowed.
    var limit: Int
}

/// Counts connections for all threads, so that one address, or many half-open connections, cannot use up the server.
final class ConnectionLimiter: Sendable {
    /// The numbers of connections that are allowed.
    struct Limits: Sendable {
        /// Connections at the same time.
        var connections: Int
        /// Half-open connections over TCP.
        var halfOpen: Int
        /// Half-open connections from one address, from one IPv6 network, and over the Unix socket.
        var halfOpenPerAddress: Int
    }

    private let counts: Mutex<ConnectionCounts>

    init(_ limits: Limits) {
        counts = Mutex(ConnectionCounts(limits))
    }

    /// The numbers of all connections, and of those that are half-open, now.
    var numbers: (connections: Int, halfOpen: Int) {
        counts.withLock { ($0.connections, $0.halfOpen) }
    }

    /// Sets other limits; connections that were admitted stay until a new one needs their room.
    func limit(to limits: Limits) { counts.withLock { $0.limits = limits } }

    /// Counts a new connection.
    func admit(from source: ConnectionSource) -> ConnectionCounts.Admission {
        counts.withLock { $0.admit(from: source) }
    }

    /// The client of an admitted connection is known.
    func opened(_ id: ConnectionCounts.ID) { counts.withLock { $0.opened(id) } }

    /// An admitted connection has ended.
    func ended(_ id: ConnectionCounts.ID) { counts.withLock { $0.ended(id) } }
}
