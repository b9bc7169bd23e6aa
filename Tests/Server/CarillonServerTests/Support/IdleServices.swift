import CarillonCore
import CoreMetrics
import NIOCore
import NIOPosix

@testable import CarillonServer

/// The services of a server without apps: deliveries without routes, no pools, and batches that a test counts.
struct IdleServices {
    let registry: FakeRegistry
    let delivery: DeliveryService
    let pools: PoolManager
    let batches = BatchMetrics(factory: NOOPMetricsHandler.instance)
    private let threads = ScriptedConnection.threads

    /// Makes the services.
    ///
    /// - Parameter loop: the loop of the delivery service's timers; nil for one of the threads of all connections.
    init(_ registry: FakeRegistry = FakeRegistry { _ in .applied }, on loop: (any EventLoop)? = nil) {
        self.registry = registry
        let factory = NOOPMetricsHandler.instance
        let logger = ScriptedConnection.logger
        delivery = DeliveryService(
            registry: registry, routes: Routes([:]),
            on: DeliveryService.Dependencies(
                readThreads: threads.deliveryReads, loop: loop ?? threads.interactive.next(), logger: logger,
                factory: factory))
        pools = PoolManager(epoch: .zero, threads: threads, delivery: delivery, factory: factory, logger: logger)
    }

    /// The services whose counters the statistics have.
    var forStatistics: StatisticsSource.Services {
        StatisticsSource.Services(
            registry: registry, delivery: delivery, pools: pools, batches: batches, loop: threads.interactive.next(),
            upkeep: threads.upkeep, databaseLimitBytes: 0)
    }

    /// Returns the services whose gauges a sampler sets.
    func forSampler(
        limiter: ConnectionLimiter, memory: SharedMemoryBudget, databaseLimitBytes: Int
    ) -> MetricsSampler.Services {
        MetricsSampler.Services(
            registry: registry, delivery: delivery, pools: pools, limiter: limiter, memory: memory,
            registryCounter: RegistryCounter(registry, on: threads.upkeep), databaseLimitBytes: databaseLimitBytes)
    }
}
