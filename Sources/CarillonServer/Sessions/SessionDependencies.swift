import CarillonSession
import CarillonWire
import Logging

/// The settings and services that all sessions of a listener share.
struct SessionDependencies: Sendable {
    var limits: SessionLimits
    var welcome: Welcome
    var authenticator: Authenticator
    var runner: RequestRunner
    var events: EventHub
    var limiter: ConnectionLimiter
    var memory: ConnectionMemory
    /// The turns of each event loop.
    var turns = PerLoop<LoopTurns>()
    var metrics: RequestMetrics
    var logger: Logger
}
