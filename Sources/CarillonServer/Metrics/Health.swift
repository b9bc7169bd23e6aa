import Synchronization

/// The phase of the server, for `/healthz`, `/readyz` and load balancers.
final class Health: Sendable {
    /// A phase of the server.
    enum Phase: String, Sendable {
        /// It opens what it needs. Leaves to `ready`.
        case starting
        /// The registry is open and the listeners accept. Leaves to `draining` or `failed`.
        case ready
        /// It accepts no new connections and ends. Final.
        case draining
        /// The disk has failed. Final.
        case failed
    }

    private let state = Mutex(Phase.starting)
    private let reason = Mutex<(@Sendable () -> String?)?>(nil)

    /// The present phase.
    var phase: Phase { state.withLock { $0 } }

    /// Why the server does not serve now, for `/readyz`: its phase, or the reason of its node; nil if it serves.
    var reasonNotReady: String? {
        guard phase == .ready else { return phase.rawValue }
        return reason.withLock { $0 }?()
    }

    /// The server is ready only while its node is.
    ///
    /// - Parameter reason: why the node is not; nil if it is.
    func follow(_ reason: @escaping @Sendable () -> String?) { self.reason.withLock { $0 = reason } }

    /// Enters a phase.
    func entered(_ phase: Phase) { state.withLock { $0 = phase } }
}
