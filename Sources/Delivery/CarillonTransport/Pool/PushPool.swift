package import CarillonCore
package import CarillonProvider
package import Logging
package import NIOCore

/// The connections of one credential to one destination, or to one push service of browsers.
///
/// A pool has two connection groups: the main group, and the isolated group for pushes under which other connections
/// have ended. Decisions are made by `ConnectionGroupMachine`, `ConnectionGrowthRule`, `ReservedConnection`,
/// `ConnectionUpkeep`, `ConnectionBalanceRule` and `Isolation`. All state belongs to one event loop, the home loop; the
/// connections are spread over the event loops of `Loops`. All functions may be called from any thread.
package final class PushPool: DeliveryPool {
    package struct Loops {
        /// The event loops of all connections but the reserved one, and so of the bulk lane.
        package var bulk: any EventLoopGroup
        /// The event loops of the pool's decisions and of its reserved connection.
        package var interactive: any EventLoopGroup
        /// Returns the processor times of the loops of `bulk`; empty if they are not known.
        package var bulkProcessorTimes: @Sendable () -> [ConnectionGrowthRule.ProcessorTime]

        /// Names the event loops of the lanes.
        ///
        /// - Parameters:
        ///   - interactive: nil if they are the same.
        ///   - bulkProcessorTimes: if it is left out, the number of connections does not depend on how busy the loops
        ///     are.
        package init(
            bulk: any EventLoopGroup, interactive: (any EventLoopGroup)? = nil,
            bulkProcessorTimes: @escaping @Sendable () -> [ConnectionGrowthRule.ProcessorTime] = { [] }
        ) {
            self.bulk = bulk
            self.interactive = interactive ?? bulk
            self.bulkProcessorTimes = bulkProcessorTimes
        }
    }

    /// The limits of a pool, of each of its connections, and of its upkeep.
    package struct CombinedLimits {
        package var pool = ConnectionGroupMachine.Limits()
        package var connection = ConnectionMachine.Limits()
        package var upkeep = ConnectionUpkeep.Limits()

        package init() {}
    }

    package let target: PoolTarget
    package let metrics: PoolMetrics
    /// The identity under which the delivery source knows the pool: it is passed as `reportedBy`.
    package let identity: ObjectIdentifier
    private let home: any EventLoop
    private let coordinator: NIOLoopBoundBox<PoolCoordinator>

    /// Makes a pool without connections; the first is opened when there is work.
    ///
    /// - Parameter metrics: nil if the pool makes its own.
    package init(
        _ target: PoolTarget,
        loops: Loops,
        source: any DeliverySource,
        limits: CombinedLimits = CombinedLimits(),
        metrics: PoolMetrics? = nil,
        logger: Logger
    ) {
        self.target = target
        self.metrics = metrics ?? PoolMetrics(target.key)
        var limits = limits
        if case .certificate = target.authorization { limits.connection.provesProviderToken = false }
        let isolatingSource = IsolatingSource(source, pool: target.key)
        var logger = logger
        logger[metadataKey: "pool"] = "\(target.key)"
        let dependencies = PoolDependencies(
            target: target,
            connector: Connector(
                host: target.server.host, port: target.server.port, networkPath: target.networkPath,
                timeoutMilliseconds: limits.connection.connectTimeoutMilliseconds),
            source: isolatingSource,
            metrics: self.metrics,
            logger: logger,
            home: loops.interactive.next(),
            loops: loops
        )
        identity = dependencies.identity
        home = dependencies.home
        coordinator = NIOLoopBoundBox.makeBoxSendingValue(
            PoolCoordinator(
                dependencies, limits: limits.pool, connectionLimits: limits.connection, upkeep: limits.upkeep),
            eventLoop: dependencies.home)
        isolatingSource.whenDiverted { [home, weak coordinator] in
            home.execute { [coordinator] in coordinator?.value.wakeIsolated() }
        }
        target.accessTokens?.addListener(identity) { [home, weak coordinator] in
            home.execute { [coordinator] in coordinator?.value.wakeAll() }
        }
    }

    /// Wakes the connections to pull work, or opens one. Cheap to call often.
    package func wake() {
        home.execute { [coordinator] in coordinator.value.wakeMain() }
    }

    /// Replaces every connection, one after another: only new ones know the provider's topics that were added to the
    /// credential.
    package func replaceConnectionsOneByOne() {
        home.execute { [coordinator] in coordinator.value.replaceConnectionsOneByOne() }
    }

    /// Ends every connection once its answers have come; others are opened if there is work. Called when the provider
    /// has refused the credential.
    package func drainAllConnections() {
        home.execute { [coordinator] in coordinator.value.drainAllConnections() }
    }

    package func statistics() -> EventLoopFuture<Statistics> {
        home.submit { [coordinator] in coordinator.value.statistics() }
    }

    /// Opens nothing more, awaits the answers in flight, and closes; done when the last connection is closed.
    package func close() -> EventLoopFuture<Void> {
        let done = home.makePromise(of: Void.self)
        target.accessTokens?.removeListener(identity)
        home.execute { [coordinator] in coordinator.value.close(done) }
        return done.futureResult
    }
}
