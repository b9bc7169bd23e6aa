package import CarillonCore
package import CarillonProvider
package import Logging
package import NIOCore

/// The connections of one credential to one destination, or to one push service of browsers.
///
/// A pool has two connection groups: the main group, and the isolated group for pushes under which other connections
/// have ended. Decisions are made by `PoolMachine`, `ReservedConnection`, `PoolUpkeep`, `PoolBalance` and `Isolation`.
/// All state belongs to one event loop, the home loop; connections are spread over all loops of their groups. All
/// functions may be called from any thread.
package final class PushPool: DeliveryPool {
    /// The server that the pool connects to.
    package let upstream: Upstream
    /// The pool's counters.
    package let metrics: PoolMetrics
    /// The identity under which the delivery source knows the pool: it is passed as `reportedBy`.
    package let identity: ObjectIdentifier
    private let home: any EventLoop
    private let coordinator: NIOLoopBoundBox<PoolCoordinator>

    /// Makes a pool without connections; the first is opened when there is work.
    ///
    /// - Parameters:
    ///   - group: the event loops of the connections, and so of the bulk lane.
    ///   - interactiveGroup: the event loops of the pool's decisions and of its reserved connection; nil = `group`.
    package init(
        _ upstream: Upstream,
        group: any EventLoopGroup,
        interactiveGroup: (any EventLoopGroup)? = nil,
        source: any DeliverySource,
        limits: PoolMachine.PoolLimits = PoolMachine.PoolLimits(),
        connectionLimits: ConnectionMachine.PushConnectionLimits = ConnectionMachine.PushConnectionLimits(),
        upkeep: PoolUpkeep.UpkeepLimits = PoolUpkeep.UpkeepLimits(),
        metrics: PoolMetrics? = nil,
        logger: Logger
    ) {
        self.upstream = upstream
        self.metrics = metrics ?? PoolMetrics(upstream.key)
        let interactiveGroup = interactiveGroup ?? group
        var connectionLimits = connectionLimits
        if case .certificate = upstream.authorization { connectionLimits.provesToken = false }
        let isolatingSource = IsolatingSource(source, pool: upstream.key)
        var logger = logger
        logger[metadataKey: "pool"] = "\(upstream.key)"
        let context = PoolContext(
            upstream: upstream,
            connector: Connector(
                host: upstream.host, port: upstream.port, proxy: upstream.proxy,
                proxyCredentials: upstream.proxyCredentials, timeoutMilliseconds: connectionLimits.connectMilliseconds,
                permits: upstream.permits),
            source: isolatingSource,
            metrics: self.metrics,
            logger: logger,
            home: interactiveGroup.next(),
            loops: group,
            interactiveLoops: interactiveGroup
        )
        identity = context.identity
        home = context.home
        coordinator = NIOLoopBoundBox.makeBoxSendingValue(
            PoolCoordinator(context, limits: limits, connectionLimits: connectionLimits, upkeep: upkeep),
            eventLoop: context.home)
        isolatingSource.whenDiverted { [home, weak coordinator] in
            home.execute { [coordinator] in coordinator?.value.wakeIsolated() }
        }
        upstream.accessTokens?.whenChanged(identity) { [home, weak coordinator] in
            home.execute { [coordinator] in coordinator?.value.wakeAll() }
        }
    }

    /// Wakes the connections to pull work, or opens one. Cheap to call often.
    package func wake() {
        home.execute { [coordinator] in coordinator.value.wake() }
    }

    /// Replaces every connection, one after another: only new ones know topics that were added to the credential.
    package func renew() {
        home.execute { [coordinator] in coordinator.value.renew() }
    }

    /// Ends every connection once its answers have come; others are opened if there is work. Called when the provider
    /// has refused the credential.
    package func endConnections() {
        home.execute { [coordinator] in coordinator.value.endConnections() }
    }

    /// Returns the current state of the pool.
    package func snapshot() -> EventLoopFuture<Snapshot> {
        home.submit { [coordinator] in coordinator.value.snapshot() }
    }

    /// Opens nothing more, awaits the answers in flight, and closes; done when the last connection is closed.
    package func close() -> EventLoopFuture<Void> {
        let done = home.makePromise(of: Void.self)
        upstream.accessTokens?.forget(identity)
        home.execute { [coordinator] in coordinator.value.close(done) }
        return done.futureResult
    }
}
