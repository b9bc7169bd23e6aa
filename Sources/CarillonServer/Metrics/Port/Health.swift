import Synchronization

/// The phase of the server, for `/healthz`, `/readyz` and load balancers.
final class Health: Sendable {
    /// A phase of the server.
    enum Phase: String, Sendable {
        /// The server opens what it needs. Leaves to `ready`.
        case starting
        /// The registry is open and the listeners accept. Leaves to `draining` or `failed`.
        case ready
        /// The server accepts no new connections and ends. Final.
        case draining
        /// The disk has failed. Final.
        case failed
    }

    private let state = Mutex(Phase.starting)
    private let nodeReason = Mutex<(@Sendable () -> String?)?>(nil)
    private let warningSource = Mutex<(@Sendable () -> [String])?>(nil)

    var phase: Phase { state.withLock { $0 } }

    /// The reason why the server does not serve now, for `/readyz`: its phase, or the reason of its node; nil if it
    /// serves.
    var reasonNotReady: String? {
        guard phase == .ready else { return phase.rawValue }
        return nodeReason.withLock { $0 }?()
    }

    /// Makes the server ready only while its node is.
    ///
    /// - Parameter node: returns why the node is not ready; nil if it is.
    func takeReasonNotReady(from node: @escaping @Sendable () -> String?) { nodeReason.withLock { $0 = node } }

    func phaseEntered(_ phase: Phase) { state.withLock { $0 = phase } }

    /// Faults that do not keep the server from serving clients, one a line; they are asked for anew each time.
    var warnings: [String] { warningSource.withLock { $0 }?() ?? [] }

    /// Takes the source of `warnings`.
    func takeWarnings(from source: @escaping @Sendable () -> [String]) { warningSource.withLock { $0 = source } }
}
