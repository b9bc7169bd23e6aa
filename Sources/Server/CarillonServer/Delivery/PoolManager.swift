import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTransport
import CoreMetrics
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The pools that a deployment needs: opened, kept, replaced and drained so that no delivery is lost. `PoolPlan`
/// decides which.
final class PoolManager: Sendable {
    /// The state of one pool.
    struct Status: Sendable {
        var key: PoolKey
        var statistics: PushPool.Statistics
        /// True if the provider refuses the credential altogether.
        var isParked: Bool
        /// The number of apps for which the provider refuses the credential.
        var parkedApps: Int
        var totals: PoolMetrics.Totals
        /// The source of its provider tokens; nil if the pool has none.
        var tokens: ProviderTokenSource?
        /// The source of its access tokens; nil if the pool has none.
        var accessTokens: AccessTokenSource?
        /// The quota of its Firebase project; nil if the pool has none.
        var quota: ProjectQuota?
    }

    private struct Entry {
        var pool: any DeliveryPool
        var specification: PoolPlan.Specification
    }

    private struct State {
        var pools: [PoolKey: Entry] = [:]
        /// Pools that drain, by a number of their own.
        var draining: [Int: EventLoopFuture<Void>] = [:]
        var lastDrainingNumber = 0
        /// The counters of every pool since the start: a pool that replaces another continues them.
        var metrics: [PoolKey: PoolMetrics] = [:]
    }

    private let epoch: UUIDBytes
    private let accounts: FCMAccounts
    private let threads: ServerThreads
    private let delivery: DeliveryService
    private let factory: any MetricsFactory
    private let logger: Logger
    private let state = Mutex(State())

    init(
        epoch: UUIDBytes, threads: ServerThreads, delivery: DeliveryService, factory: any MetricsFactory, logger: Logger
    ) {
        self.epoch = epoch
        accounts = FCMAccounts(loop: threads.interactive.next(), logger: logger)
        self.threads = threads
        self.delivery = delivery
        self.factory = factory
        self.logger = logger
    }

    var all: [any DeliveryPool] { state.withLock { $0.pools.values.map(\.pool) } }

    /// Opens, replaces and closes pools as the deployment says. If it throws, nothing has changed.
    func apply(_ deployment: Deployment) throws -> PoolPlan {
        let old = state.withLock { $0.pools }
        let needed = deployment.pools
        let plan = PoolPlan(
            from: old.mapValues(\.specification), refused: Set(delivery.refusedCredentials.keys), to: needed)
        // The steps that can fail come first.
        var makers: [PoolKey: () -> any DeliveryPool] = [:]
        for key in plan.toOpen.union(plan.toReplace) {
            if let options = try deployment.webPushOptions(for: key) {
                makers[key] = { self.makePool(options, settings: deployment.settings) }
            } else {
                let target = try deployment.target(for: key, epoch: epoch, accounts: accounts)
                makers[key] = { self.makePool(target, settings: deployment.settings) }
            }
        }
        let pools = Dictionary(
            uniqueKeysWithValues: needed.compactMap { key, specification in
                let pool = makers[key].map { $0() } ?? old[key]?.pool
                return pool.map { (key, Entry(pool: $0, specification: specification)) }
            })
        state.withLock { $0.pools = pools }
        delivery.routesChanged(deployment.apps.routes, pools: pools.values.map(\.pool), restarted: plan.toReplace)
        for key in plan.toRenew { pools[key]?.pool.replaceConnectionsOneByOne() }
        for key in plan.toReplace.union(plan.toClose) {
            if let open = old[key] { drain(open.pool) }
        }
        return plan
    }

    private func makePool(_ target: PoolTarget, settings: Settings) -> PushPool {
        var limits = PushPool.CombinedLimits()
        let isFCM = target.key.destination == .fcm
        limits.pool.connections = isFCM ? settings.fcm.maximumConnections : settings.apns.maximumConnections
        if isFCM { limits.connection = .fcm }
        let answerTimeoutSeconds = isFCM ? settings.fcm.answerTimeoutSeconds : settings.apns.answerTimeoutSeconds
        limits.connection.answerTimeoutMilliseconds = UInt64(answerTimeoutSeconds) * 1_000
        limits.upkeep.minimumConnections = min(settings.pools.minimumConnections, limits.pool.connections)
        limits.upkeep.ageMilliseconds = UInt64(settings.pools.maximumConnectionAgeMinutes) * 60_000
        return PushPool(
            target,
            loops: PushPool.Loops(
                bulk: threads.bulk, interactive: threads.interactive, bulkProcessorTimes: threads.bulkTimes.current),
            source: delivery, limits: limits, metrics: metrics(target.key), logger: logger)
    }

    private func makePool(_ options: WebPushPool.Options, settings: Settings) -> WebPushPool {
        var limits = WebPushPool.Limits()
        limits.connections = settings.webPush.maximumConnections
        limits.answerTimeoutMilliseconds = UInt64(settings.webPush.answerTimeoutSeconds) * 1_000
        return WebPushPool(
            options, loops: PushPool.Loops(bulk: threads.browsers, bulkProcessorTimes: threads.browserTimes.current),
            source: delivery, limits: limits, metrics: metrics(options.key), logger: logger)
    }

    private func metrics(_ key: PoolKey) -> PoolMetrics {
        state.withLock { state in
            let metrics = state.metrics[key] ?? PoolMetrics(key, factory: factory)
            state.metrics[key] = metrics
            return metrics
        }
    }

    private func drain(_ pool: any DeliveryPool) {
        let closed = pool.close()
        let number = state.withLock { state in
            state.lastDrainingNumber += 1
            state.draining[state.lastDrainingNumber] = closed
            return state.lastDrainingNumber
        }
        closed.whenComplete { [weak self] _ in self?.state.withLock { $0.draining[number] = nil } }
    }

    func statuses(on loop: any EventLoop) -> EventLoopFuture<[Status]> {
        let refused = delivery.refusedCredentials
        return EventLoopFuture.whenAllSucceed(
            all.map { pool in
                let key = pool.key
                return pool.statistics().map {
                    Status(
                        key: key, statistics: $0, isParked: refused[key]?.isParked ?? false,
                        parkedApps: refused[key]?.parkedApps ?? 0, totals: pool.totals, tokens: pool.providerTokens,
                        accessTokens: pool.accessTokens, quota: pool.quota)
                }
            }, on: loop)
    }

    /// Waits for the answers in flight, and closes every pool.
    func close() async {
        // All pools are closed at once, because each may take as long as the timeout of an answer.
        // Why try?: a pool that cannot be closed is closed already.
        for closed in all.map({ $0.close() }) { try? await closed.get() }
        for closed in state.withLock({ Array($0.draining.values) }) { try? await closed.get() }
    }
}
