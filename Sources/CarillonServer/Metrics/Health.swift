import Synchronization

/// Whether the server can serve, as load balancers and people ask.
final class Health: Sendable {
    /// Where the server stands.
    enum Phase: String, Sendable {
        /// Opens what it needs. Leaves to `ready`.
        case starting
        /// Registry open, listening. Leaves to `draining` or `failed`.
        case ready
        /// Takes no new connections.
        case draining
        /// The disk has failed.
        case failed
    }

    private let state = Mutex(Phase.starting)

    /// Where the server stands.
    var phase: Phase { state.withLock { $0 } }

    /// Goes on to the next phase.
    func entered(_ phase: Phase) { state.withLock { $0 = phase } }
}
