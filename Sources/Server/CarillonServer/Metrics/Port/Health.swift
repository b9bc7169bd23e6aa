import Synchronization

/// The phase of the server, for `/healthz`, `/readyz` and load balancers.
final class Health: Sendable {
    /// A phase of the server.
    enum Phase: String, Sendable {
        /// The server opens what it needs. Leads to `ready`.
        case starting
        /// The registry is open and the listeners accept. Leads to `draining` or `failed`.
        case ready
        /// The server accepts no new connections and ends. Final.
        case draining
        /// The disk has failed. Final.
        case failed
    }

    private let currentPhase = Mutex(Phase.starting)
    private let reasonSource = Mutex<(@Sendable () -> String?)?>(nil)
    private let warningSource = Mutex<(@Sendable () -> [String])?>(nil)

    var phase: Phase { currentPhase.withLock { $0 } }

    /// The reason why the server does not serve now, for `/readyz`: its phase, or the reason of its node; nil if it
    /// serves.
    var reasonNotReady: String? {
        guard phase == .ready else { return phase.rawValue }
        return reasonSource.withLock { $0 }?()
    }

    /// Makes the server ready only while its node is.
    ///
    /// - Parameter source: returns why the node is not ready; nil if it is.
    func setReasonNotReady(from source: @escaping @Sendable () -> String?) { reasonSource.withLock { $0 = source } }

    func phaseEntered(_ phase: Phase) { currentPhase.withLock { $0 = phase } }

    /// Faults that do not keep the server from serving clients, one a line; they are asked for anew each time.
    var warnings: [String] { warningSource.withLock { $0 }?() ?? [] }

    func setWarnings(from source: @escaping @Sendable () -> [String]) { warningSource.withLock { $0 = source } }
}
