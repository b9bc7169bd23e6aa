import CarillonClock
import CarillonCluster
package import CarillonCore
package import CarillonDelivery
package import CarillonTransport
package import CoreMetrics
package import Logging
package import NIOCore
package import NIOPosix
import Synchronization

/// The shell of the delivery engine: hands its deliveries to the pools, reads pages and writes outcomes for it.
///
/// The engine is behind one lock. Connections come with batches, so the lock is taken once for many deliveries.
package final class DeliveryService: DeliverySource {
    /// The threads that the service uses, and where it reports.
    package struct Dependencies {
        /// The threads that read pages and messages.
        package var readThreads: NIOThreadPool
        /// The event loop of the timers.
        package var loop: any EventLoop
        package var logger: Logger
        package var factory: any MetricsFactory

        package init(readThreads: NIOThreadPool, loop: any EventLoop, logger: Logger, factory: any MetricsFactory) {
            self.readThreads = readThreads
            self.loop = loop
            self.logger = logger
            self.factory = factory
        }
    }

    /// The engine and its lock. `callEngine` tells it what has happened, and carries out the actions that follow;
    /// `readEngine` asks it, and changes nothing.
    private let engine: Mutex<DeliveryEngine>
    let registry: any ChangeQueue & OutboxReads & PointReads
    let readThreads: NIOThreadPool
    let loop: any EventLoop
    let logger: Logger
    let outcomeMetrics: OutcomeMetrics
    let reporter: DeliveryReporter
    private let deliveryMetrics: DeliveryMetrics
    private let pools = Mutex<[PoolKey: any DeliveryPool]>([:])
    private let timers = Mutex(Timers())
    let scheduledMessages: ScheduledMessages
    /// The node of the cluster; nil for a server on its own.
    let node: (any DeliveryNode)?
    private let claimState = ClaimState()

    private struct Timers {
        /// The timer that fires at the engine's deadline.
        var deadline: (at: Uptime, task: Scheduled<Void>)?
        /// The timer that fires once a second.
        var ticker: RepeatedTask?
    }

    /// The operations with the claims of the node; nil for a server on its own.
    var claims: ClaimOperations? { node.map { ClaimOperations(delivery: self, node: $0, state: claimState) } }

    /// The interval of the tasks that `start` repeats, and the time before a refused read or change is tried again.
    static let tick = TimeAmount.seconds(1)

    /// Makes a service; `start` begins its work.
    ///
    /// - Parameter node: the node of the cluster; nil for a server on its own.
    package init(
        registry: any ChangeQueue & OutboxReads & PointReads, routes: Routes, on dependencies: Dependencies,
        node: (any DeliveryNode)? = nil, limits: DeliveryEngine.Limits = DeliveryEngine.Limits(),
        policy: RetryPolicy = RetryPolicy()
    ) {
        outcomeMetrics = OutcomeMetrics(factory: dependencies.factory)
        deliveryMetrics = DeliveryMetrics(factory: dependencies.factory)
        self.registry = registry
        reporter = DeliveryReporter(registry, outcomeMetrics: outcomeMetrics, logger: dependencies.logger)
        readThreads = dependencies.readThreads
        loop = dependencies.loop
        logger = dependencies.logger
        self.node = node
        scheduledMessages = ScheduledMessages(registry: registry, logger: dependencies.logger)
        var limits = limits
        if node != nil {
            limits.bufferMilliseconds = max(limits.bufferMilliseconds, Self.minimumBufferMilliseconds)
            // Each write of outcomes is an entry of the shared log, which costs every node a commit: so they are fewer.
            limits.bufferedDeliveries = max(limits.bufferedDeliveries, limits.unrecordedDeliveries / 2)
        }
        engine = Mutex(DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: .random(in: 0 ... .max)))
    }

    /// Begins with the messages that the outbox holds. The pools come with `routesChanged`.
    package func start() {
        let task = loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.callEngine { $0.expirePassed(at: Clock.now()) }
            self?.releaseScheduledMessages()
            self?.continueInCluster()
        }
        timers.withLock { $0.ticker = task }
        // Everything that was due while the server was down is due now.
        scheduledMessages.add(dueAt: .zero)
        callEngine { _ in }
    }

    /// Ends the work: no more deliveries are handed out.
    package func stop() {
        callEngine { $0.stop() }
        timers.withLock { timers in
            timers.ticker?.cancel()
            timers.deadline?.task.cancel()
        }
    }

    // MARK: Changes of the registry

    // A node of a cluster ignores the calls of `…Stored`: it gets every change, its own too, from the shared log
    // (`entryApplied`).

    /// Called when a message to send is on disk, before its request is answered, and when a scheduled message is
    /// released.
    package func messageStored(_ outbound: OutboundMessage) { if node == nil { passMessageToEngine(outbound) } }

    /// Passes the engine a message to send. On a node of a cluster the claims call this.
    func passMessageToEngine(_ outbound: OutboundMessage) {
        callEngine { $0.messageAccepted(outbound, at: Clock.now()) }
    }

    /// Called when a scheduled message is on disk, before its request is answered.
    package func scheduledMessageStored(dueAt time: Timestamp) { if node == nil { scheduledMessages.add(dueAt: time) } }

    /// Called when the update of a message is on disk, before its request is answered.
    ///
    /// - Parameter outbound: the message as it is in the outbox now; nil if it is not sent.
    package func updateStored(_ update: MessageUpdate, of message: MessageID, outbound: OutboundMessage?) {
        if node == nil { passUpdateToEngine(update, of: message, outbound: outbound) }
    }

    /// Passes the engine the update of a message. On a node of a cluster `entryApplied` calls this, without `outbound`:
    /// the claims decide whether this node sends the message.
    func passUpdateToEngine(_ update: MessageUpdate, of message: MessageID, outbound: OutboundMessage?) {
        callEngine { engine in
            let now = Clock.now()
            switch update {
            case .cancel: engine.cancel(message, at: now)
            case .pause: engine.pause(message, at: now)
            case .resume: break
            case .pace(let pace): engine.setPace(pace, of: message, at: now)
            }
            if let outbound { engine.messageAccepted(outbound, at: now) }
        }
    }

    /// Called when a change is on disk, before its request is answered.
    ///
    /// - Parameter affected: the devices that the change affects (`ChangeAnswer.affected`).
    package func changeStored(affecting affected: ChangeAnswer.Affected, of app: AppID) {
        if node == nil { passChangeToEngine(affecting: affected, of: app) }
    }

    /// Tells the engine which devices have changed, so that it reads their rows again before it sends to them. On a
    /// node of a cluster `entryApplied` calls this.
    func passChangeToEngine(affecting affected: ChangeAnswer.Affected, of app: AppID) {
        guard affected != .devices([]) else { return }
        callEngine { engine in
            switch affected {
            case .devices(let devices): for device in devices { engine.deviceChanged(device, of: app) }
            case .allDevices: engine.allDevicesChanged()
            }
        }
    }

    // MARK: Calls of the pools

    /// Appends deliveries for a connection's free streams. A node of a cluster appends none while no push may begin
    /// (`DeliveryNode.mayAct`).
    package func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        if let node, !node.mayAct { return }
        callEngine { $0.pull(for: pool, limits, at: Clock.now(), into: &deliveries) }
    }

    /// Takes back deliveries with their results.
    package func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
        let now = Clock.now()
        deliveryMetrics.attemptsEnded(results, for: pool, at: now)
        callEngine { $0.attemptsEnded(results, for: pool, at: now) }
    }

    /// Returns true if deliveries wait for a pool.
    package func hasWork(for pool: PoolKey) -> Bool { readEngine { $0.hasWork(for: pool) } }

    /// Tells the engine that the provider has ended a connection of a pool because of its credential.
    package func credentialRefused(of pool: PoolKey, reason: String, reportedBy object: ObjectIdentifier) {
        _ = callEngine(for: pool, reportedBy: object) { engine in
            engine.credentialRefused(of: pool, reason: reason, at: Clock.now())
        }
    }

    /// Tells the engine that a pool has had no connection for a while, or has one again, and publishes the event.
    package func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy object: ObjectIdentifier) {
        let isCurrent = callEngine(for: pool, reportedBy: object) { engine in
            let now = Clock.now()
            if isReachable {
                engine.poolBecameReachable(pool, at: now)
            } else {
                engine.poolBecameUnreachable(pool, at: now)
            }
        }
        guard isCurrent else { return }
        let kind = isReachable ? Event.Kind.poolReachable : .poolUnreachable
        let cause = isReachable ? nil : pools.withLock { $0[pool] }?.outage?.outage.cause
        reporter.publish(Event(at: Clock.wallTime(), kind: kind, text: "\(pool)" + (cause.map { ": \($0)" } ?? "")))
    }

    /// Calls the engine for a report of a pool, if `object` is the pool of that key now; returns false if it is not.
    private func callEngine(
        for pool: PoolKey, reportedBy object: ObjectIdentifier, _ body: (inout DeliveryEngine) -> Void
    ) -> Bool {
        var isCurrent = false
        callEngine { engine in
            // The check is made under the engine's lock, so that a pool that replaces this one is not judged by the old
            // credential.
            isCurrent = pools.withLock { $0[pool]?.identity == object }
            if isCurrent { body(&engine) }
        }
        return isCurrent
    }

    /// Publishes the event that a connection of a pool was opened, or that an open one has ended.
    package func connectionChanged(of pool: PoolKey, isUp: Bool) {
        reporter.publish(Event(at: Clock.wallTime(), kind: isUp ? .connectionUp : .connectionDown, text: "\(pool)"))
    }

    /// Takes over changed apps, credentials or pools: deliveries that wait take the new route. Deliveries in flight in
    /// an old pool still come back from it.
    ///
    /// - Parameter restarted: pools that replace others. Their credentials are tried at once, even if they were refused
    ///   before.
    package func routesChanged(_ routes: Routes, pools: [any DeliveryPool], restarted: Set<PoolKey>) {
        self.pools.withLock { $0 = Dictionary(uniqueKeysWithValues: pools.map { ($0.key, $0) }) }
        callEngine { engine in
            let now = Clock.now()
            for pool in restarted.sorted(by: { $0.description < $1.description }) {
                engine.poolRestarted(pool, at: now)
            }
            engine.routesChanged(routes, at: now)
        }
    }

    // MARK: The locks

    /// Calls the engine under its lock. Returns its actions, the apps of the records in them, and the engine's
    /// deadline.
    func takeActions(
        after body: (inout DeliveryEngine) -> Void
    ) -> (actions: DeliveryEngine.Actions, apps: [AppID?], deadline: Uptime?) {
        engine.withLock { engine in
            body(&engine)
            let actions = engine.takeActions()
            return (actions, actions.records.map { engine.app(of: $0.message) }, engine.deadline)
        }
    }

    /// Reads the engine under its lock, and changes nothing.
    func readEngine<Result>(_ body: (borrowing DeliveryEngine) -> Result) -> Result { engine.withLock { body($0) } }

    var openPools: [PoolKey: any DeliveryPool] { pools.withLock { $0 } }

    /// Returns the pools of these keys. A key has none if its pool was closed since the engine named it.
    func openPools(_ keys: some Sequence<PoolKey>) -> [any DeliveryPool] {
        pools.withLock { pools in keys.compactMap { pools[$0] } }
    }

    /// Sets the timer to the engine's deadline, if that is earlier.
    func setTimer(_ deadline: Uptime) {
        timers.withLock { timers in
            if let earlier = timers.deadline, earlier.at <= deadline { return }
            timers.deadline?.task.cancel()
            let now = Clock.uptime()
            let delay = TimeAmount.milliseconds(Int64(clamping: deadline.milliseconds(since: now)))
            let task = loop.scheduleTask(in: delay) { [weak self] in
                guard let self else { return }
                self.timers.withLock { $0.deadline = nil }
                callEngine { $0.timerFired(at: Clock.now()) }
            }
            timers.deadline = (deadline, task)
        }
    }
}
