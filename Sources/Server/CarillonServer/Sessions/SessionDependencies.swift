import CarillonSession
import CarillonWire
import Logging

/// The settings and services that all sessions of a listener share.
struct SessionDependencies: Sendable {
    var limits: SessionLimits
    var helloAnswer: HelloAnswer
    var authenticator: Authenticator
    /// The hash of the authorities under which TLS verifies the client's certificate.
    var authoritiesHash: [UInt8] = []
    var runner: RequestRunner
    var events: EventHub
    var limiter: ConnectionLimiter
    var memory: SharedMemoryBudget
    var turns = PerLoop<LoopTurns>()
    var metrics: RequestMetrics
    var logger: Logger
}
