import NIOCore
import Synchronization

/// Counts the connections on all threads and limits them, so that one address, or many half-open connections, cannot
/// use up the server. `ConnectionAdmission` decides; this class has the lock around it.
final class ConnectionLimiter: Sendable {
    /// The numbers of connections that are allowed.
    struct Limits: Sendable {
        /// The number of connections at the same time.
        var connections: Int
        /// The number of half-open connections over TCP.
        var halfOpen: Int
        /// The number of half-open connections from one address, from one IPv6 network, and over the Unix socket.
        var halfOpenPerAddress: Int
    }

    private let admission: Mutex<ConnectionAdmission>

    init(_ limits: Limits) {
        admission = Mutex(ConnectionAdmission(limits))
    }

    var counts: (connections: Int, halfOpen: Int) {
        admission.withLock { ($0.connectionCount, $0.halfOpenCount) }
    }

    /// Sets other limits; connections that were admitted stay until a new one needs their room.
    func setLimits(_ limits: Limits) { admission.withLock { $0.limits = limits } }

    func admit(from source: ConnectionSource) -> ConnectionAdmission.Decision {
        admission.withLock { $0.admit(from: source) }
    }

    func clientIdentified(_ id: ConnectionAdmission.ID) { admission.withLock { $0.clientIdentified(id) } }

    func connectionEnded(_ id: ConnectionAdmission.ID) { admission.withLock { $0.connectionEnded(id) } }
}
