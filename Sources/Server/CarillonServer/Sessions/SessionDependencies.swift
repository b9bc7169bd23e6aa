import CarillonSession
import CarillonWire
import Logging
import NIOCore
import Synchronization

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

/// One value for each event loop, made when it is first asked for. A value is used on its loop only.
final class PerLoop<Value>: Sendable {
    private let values = Mutex<[ObjectIdentifier: NIOLoopBound<Value>]>([:])

    /// Returns the value of a loop, and makes it at the first call. Called on that loop only.
    func value(on loop: any EventLoop, make: (any EventLoop) -> Value) -> Value {
        let bound = values.withLock { values in
            let key = ObjectIdentifier(loop)
            if let known = values[key] { return known }
            let new = NIOLoopBound(make(loop), eventLoop: loop)
            values[key] = new
            return new
        }
        return bound.value
    }
}
