import CarillonAPNs
import CarillonCore
import CarillonTransport
import CoreMetrics
import Logging
import NIOCore
import Synchronization

/// The pools that a deployment needs: opens, keeps, replaces and drains them, so that no delivery is lost.
final class PoolManager: Sendable {
    /// A pool as it stands.
    struct Status: Sendable {
        var key: PoolKey
        var snapshot: APNsPool.Snapshot
        var totals: PoolMetrics.Totals
        /// The source of its tokens, if it uses any.
        var tokens: ProviderTokenSource?
    }

    /// What a change of deployment came to.
    struct Change: Hashable, Sendable {
        /// Pools that were not there.
        var opened = 0
        /// Pools with another credential or way, or whose credential had been refused.
        var replaced = 0
        /// Pools that got other apps: their connections are renewed one by one.
        var renewed = 0
        /// Pools that nobody needs any more.
        var drained = 0
    }

    private struct Kept {
        var pool: APNsPool
        var description: Deployment.PoolDescription
        var apps: Set<String>
    }

    private struct State {
        var kept: [PoolKey: Kept] = [:]
        /// Pools that drain, by a number of their own.
        var leaving: [Int: EventLoopFuture<Void>] = [:]
        var nextLeaving = 0
        /// Of every pool that there was: one that takes the place of another counts on.
        var metrics: [PoolKey: PoolMetrics] = [:]
    }

    private let epoch: UUIDBytes
    private let loops: ServerLoops
    private let delivery: DeliveryService
    private let factory: any MetricsFactory
    private let logger: Logger
    private let state = Mutex(State())

    init(
        epoch: UUIDBytes, loops: ServerLoops, delivery: DeliveryService, factory: any MetricsFactory, logger: Logger
    ) {
        self.epoch = epoch
        self.loops = loops
        self.delivery = delivery
        self.factory = factory
        self.logger = logger
    }

    /// The pools now.
    var all: [APNsPool] { state.withLock { $0.kept.values.map(\.pool) } }

    /// Brings the pools to what the deployment says; when it throws, everything is as it was.
    func apply(_ deployment: Deployment) async throws -> Change {
        var stopped: Set<PoolKey> = []
        for pool in all where try await pool.snapshot().get().isStopped { stopped.insert(pool.upstream.key) }
        let old = state.withLock { $0.kept }
        var kept: [PoolKey: Kept] = [:]
        var change = Change()
        var replaced: Set<PoolKey> = []
        var renewed: [APNsPool] = []
        for key in deployment.apps.routes.all {
            guard let description = deployment.description(of: key) else { continue }
            let apps = deployment.apps.audience(of: key).apps
            if let old = old[key], old.description == description, !stopped.contains(key) {
                kept[key] = Kept(pool: old.pool, description: description, apps: apps)
                if !apps.subtracting(old.apps).isEmpty { renewed.append(old.pool) }
                continue
            }
            let pool = makePool(try deployment.upstream(key, epoch: epoch), deployment.settings.apns)
            kept[key] = Kept(pool: pool, description: description, apps: apps)
            if old[key] == nil { change.opened += 1 } else { replaced.insert(key) }
        }
        change.replaced = replaced.count
        change.renewed = renewed.count
        let leaving = old.filter { $0.value.pool !== kept[$0.key]?.pool }
        change.drained = leaving.count - replaced.count
        let now = kept
        state.withLock { $0.kept = now }
        delivery.routesChanged(deployment.apps.routes, pools: kept.values.map(\.pool), restarted: replaced)
        for pool in renewed { pool.renew() }
        for (_, kept) in leaving { drain(kept.pool) }
        return change
    }

    private func makePool(_ upstream: Upstream, _ apns: Settings.APNs) -> APNsPool {
        var limits = PoolMachine.Limits()
        limits.connections = apns.connections
        var connectionLimits = ConnectionMachine.Limits()
        connectionLimits.answer = UInt64(apns.answerSeconds) * 1_000
        var upkeep = PoolUpkeep.Limits()
        upkeep.minimum = apns.minimumConnections
        upkeep.age = UInt64(apns.ageMinutes) * 60_000
        return APNsPool(
            upstream, group: loops.bulk, interactiveGroup: loops.prompt, source: delivery, limits: limits,
            connectionLimits: connectionLimits, upkeep: upkeep, metrics: metrics(upstream.key), logger: logger)
    }

    private func metrics(_ key: PoolKey) -> PoolMetrics {
        state.withLock { state in
            let metrics = state.metrics[key] ?? PoolMetrics(key, factory: factory)
            state.metrics[key] = metrics
            return metrics
        }
    }

    private func drain(_ pool: APNsPool) {
        let closed = pool.close()
        let number = state.withLock { state in
            state.nextLeaving += 1
            state.leaving[state.nextLeaving] = closed
            return state.nextLeaving
        }
        closed.whenComplete { [weak self] _ in self?.state.withLock { $0.leaving[number] = nil } }
    }

    /// How each pool stands.
    func snapshots(on loop: any EventLoop) -> EventLoopFuture<[Status]> {
        EventLoopFuture.whenAllSucceed(
            all.map { pool in
                let tokens: ProviderTokenSource? =
                    if case .token(let source) = pool.upstream.authorization { source } else { nil }
                return pool.snapshot().map {
                    Status(key: pool.upstream.key, snapshot: $0, totals: pool.metrics.totals, tokens: tokens)
                }
            }, on: loop)
    }

    /// Lets what is in flight be answered, and closes every pool.
    func close() async {
        // All at once: each may take as long as answers are awaited, and whoever stops the server does not wait for ever.
        for closed in all.map({ $0.close() }) { try? await closed.get() }
        for closed in state.withLock({ Array($0.leaving.values) }) { try? await closed.get() }
    }
}
