import CarillonProvider
import Logging
import NIOCore

/// The parts that the connection groups of a pool share.
struct PoolDependencies: Sendable {
    let target: PoolTarget
    let connector: Connector
    /// The source of work; it keeps the isolated pushes.
    let source: IsolatingSource
    /// True if a connection owns the interactive lane.
    let laneFlag = InteractiveLaneOwnership.Flag()
    let metrics: PoolMetrics
    let log = ConnectionLog()
    let logger: Logger
    /// The event loop of the pool's decisions.
    let home: any EventLoop
    let loops: PushPool.Loops
}

extension PoolDependencies {
    /// The identity under which the delivery source knows the pool.
    var identity: ObjectIdentifier { ObjectIdentifier(source) }
}
