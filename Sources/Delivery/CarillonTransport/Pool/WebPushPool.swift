import CarillonClock
package import CarillonCore
import CarillonProvider
package import CarillonTLS
package import CarillonWebPush
package import Logging
package import NIOCore
import Synchronization

/// The connections of one VAPID key to the push services of browsers: a `PushPool` for each service that has work.
///
/// Which service a push goes to is known only when its delivery is pulled. So this pool pulls for all services, a
/// bounded number at a time, and puts each delivery into the queue of its service. The connections to that service pull
/// from the queue. A service that is slow, delayed or out of reach keeps no more than its share, and holds up no other.
///
/// Pushes are encrypted on the loops of the connections, which carry nothing else.
package final class WebPushPool: DeliveryPool {
    package struct Options: Sendable {
        /// The key of the pool: its VAPID key.
        package var key: PoolKey
        package var tokens: VAPIDTokenSource
        package var rules: EndpointRules
        /// The path to all push services. `rules` say which addresses it may use.
        package var networkPath: NetworkPath
        /// The client context: ALPN `h2` required, with the authorities.
        package var tls: TLSContext

        package init(
            key: PoolKey, tokens: VAPIDTokenSource, rules: EndpointRules, networkPath: NetworkPath, tls: TLSContext
        ) {
            self.key = key
            self.tokens = tokens
            self.rules = rules
            self.networkPath = networkPath
            self.tls = tls
        }
    }

    package struct Limits: Sendable {
        /// The most deliveries of all push services together that wait here or have no answer.
        package var deliveries = 2_048
        /// The most deliveries of one push service that wait here or have no answer, while that service is slow.
        package var deliveriesOfService = 512
        /// The most push services that have connections. For a further one, a service without deliveries is closed.
        package var services = 64
        /// The time without deliveries after which a service is closed, in milliseconds.
        package var idleTimeoutMilliseconds: UInt64 = 300_000
        /// The most connections to one push service.
        package var connections = 4
        /// The timeout of one answer, in milliseconds.
        package var answerTimeoutMilliseconds: UInt64 = 20_000

        package init() {}
    }

    /// A push service that has connections.
    private struct Service {
        let queue: PushServiceQueue
        let pool: PushPool
    }

    private struct State {
        /// The push services that have connections, by `:authority`.
        var services: [String: Service] = [:]
        /// The number of deliveries that were pulled and not given back.
        var pulled = 0
        var isPulling = false
        /// True if there may be work that was not pulled.
        var mayHaveMore = false
        var isClosing = false
        /// The push services whose connections are closing, by a number of their own.
        var closing: [Int: EventLoopFuture<Void>] = [:]
        var nextClosing = 0
    }

    package let key: PoolKey
    private let options: Options
    private let limits: Limits
    private let source: any DeliverySource
    private let loops: PushPool.Loops
    private let home: any EventLoop
    private let metrics: PoolMetrics
    private let logger: Logger
    private let state = Mutex(State())
    private let ticker = Mutex<RepeatedTask?>(nil)

    /// The time between two checks for services that are slow, or have no deliveries.
    private static let checkInterval = TimeAmount.seconds(1)
    /// The milliseconds for which a delivery of one push service too many is held back.
    private static let noRoomDelayMilliseconds: UInt64 = 60_000

    /// Makes a pool without connections.
    ///
    /// - Parameter loops: event loops for these connections alone, because they encrypt.
    package init(
        _ options: Options, loops: PushPool.Loops, source: any DeliverySource,
        limits: Limits = Limits(), metrics: PoolMetrics, logger: Logger
    ) {
        key = options.key
        self.options = options
        self.limits = limits
        self.source = source
        self.loops = loops
        home = loops.bulk.next()
        self.metrics = metrics
        self.logger = logger
        let task = home.scheduleRepeatedTask(initialDelay: Self.checkInterval, delay: Self.checkInterval) {
            [weak self] _ in
            self?.checkServices()
        }
        ticker.withLock { $0 = task }
    }

    package var identity: ObjectIdentifier { ObjectIdentifier(self) }
    package var providerTokens: ProviderTokenSource? { nil }
    package var accessTokens: AccessTokenSource? { nil }
    package var quota: ProjectQuota? { nil }

    package var totals: PoolMetrics.Totals {
        var totals = metrics.totals
        if outage == nil { totals.outage = nil }
        return totals
    }

    /// The outage of all push services together, with its last failure. There is none while one service can be reached
    /// and has accepted the key.
    package var outage: (outage: ServerStatistics.Outage, reason: String)? {
        let services = state.withLock { Array($0.services.values) }
        return services.contains { $0.queue.isReachable && $0.queue.isKeyProven } ? nil : metrics.outage
    }

    // MARK: Work

    package func wake() {
        let mustBegin = state.withLock { state in
            state.mayHaveMore = true
            guard !state.isPulling, !state.isClosing else { return false }
            state.isPulling = true
            return true
        }
        if mustBegin { home.execute { self.pull() } }
    }

    /// Pulls the deliveries that there is room for, and hands them to the services. On the home loop.
    private func pull() {
        while true {
            let room = state.withLock { state in
                let room = state.isClosing ? 0 : limits.deliveries - state.pulled
                guard state.mayHaveMore, room > 0 else {
                    state.isPulling = false
                    return 0
                }
                state.mayHaveMore = false
                return room
            }
            guard room > 0 else { return }
            var deliveries: [Delivery] = []
            // An eighth of the room is kept for the interactive lane.
            source.pull(for: key, PullLimits(room, bulk: max(0, room - limits.deliveries / 8)), into: &deliveries)
            guard !deliveries.isEmpty else { continue }
            state.withLock { state in
                state.pulled += deliveries.count
                state.mayHaveMore = true
            }
            distribute(deliveries)
        }
    }

    /// Appends each delivery to the queue of its push service, and wakes the connections of these services. A delivery
    /// without a valid endpoint is refused, and one for which there is no room is held back.
    private func distribute(_ deliveries: [Delivery]) {
        var refused: [AttemptResult] = []
        var woken: [String: PushPool] = [:]
        let now = Clock.uptime()
        for delivery in deliveries {
            let address: HTTPSAddress
            switch endpoint(of: delivery) {
            case .success(let found): address = found
            case .failure(let fault):
                refused.append(
                    AttemptResult(delivery.attempt, verdict: .refused(.badRequest, deadSince: nil), reason: fault.text))
                continue
            }
            guard let service = openService(of: address, at: now) else {
                let later = Verdict.tryLater(.heldBack, afterMilliseconds: Self.noRoomDelayMilliseconds)
                refused.append(AttemptResult(delivery.attempt, verdict: later, reason: "too-many-services"))
                continue
            }
            if let result = service.queue.append(delivery, limit: limits.deliveriesOfService, at: now) {
                refused.append(result)
            } else {
                woken[address.authority] = service.pool
            }
        }
        if !refused.isEmpty { attemptsEnded(refused) }
        for pool in woken.values { pool.wake() }
    }

    /// The reason why nothing can be sent to a device.
    private struct EndpointError: Error {
        let text: String
    }

    private func endpoint(of delivery: Delivery) -> Result<HTTPSAddress, EndpointError> {
        delivery.page.withSubscription(at: delivery.index) { bytes in
            guard !bytes.isEmpty else { return .failure(EndpointError(text: "no-subscription")) }
            // Why try?: the reason is the same for all.
            guard let subscription = try? WebPushSubscription(bytes: bytes), let address = subscription.address else {
                return .failure(EndpointError(text: "bad-subscription"))
            }
            guard options.rules.allows(address) else { return .failure(EndpointError(text: "host-not-allowed")) }
            return .success(address)
        }
    }

    /// Gives results to the source of the pool, and pulls again if the pool was full or is less than half full now.
    private func attemptsEnded(_ results: [AttemptResult]) {
        // A connection counts the ends of its attempts itself. A push that was held back reaches none.
        let heldBackCount = results.count {
            if case .tryLater(.heldBack, _) = $0.verdict { $0.connection == 0 } else { false }
        }
        if heldBackCount > 0 {
            metrics.countUndecided(.tryLater(.heldBack, afterMilliseconds: nil), times: heldBackCount)
        }
        let mustPull = state.withLock { state in
            let wasFull = state.pulled >= limits.deliveries
            state.pulled -= results.count
            return wasFull || state.pulled < limits.deliveries / 2
        }
        source.attemptsEnded(results, for: key)
        if mustPull { wake() }
    }

    // MARK: Push services

    /// Returns the queue and the connections of a push service, and makes them if it is new; nil if there are too many
    /// services. On the home loop.
    private func openService(of address: HTTPSAddress, at now: Uptime) -> Service? {
        let name = address.authority
        if let known = state.withLock({ $0.services[name] }) { return known }
        guard makeRoom() else { return nil }
        let queue = PushServiceQueue(owner(of: name), at: now)
        let service = Service(queue: queue, pool: makePool(address, pulling: queue))
        let isOpen = state.withLock { state in
            guard !state.isClosing else { return false }
            state.services[name] = service
            return true
        }
        guard isOpen else {
            _ = service.pool.close()
            return nil
        }
        return service
    }

    private func owner(of name: String) -> PushServiceQueue.Owner {
        PushServiceQueue.Owner(
            attemptsEnded: { [weak self] in self?.attemptsEnded($0) },
            isKeyProvenElsewhere: { [weak self] in
                self?.state.withLock { state in
                    state.services.contains { $0.key != name && $0.value.queue.isKeyProven }
                } ?? false
            },
            connectionChanged: { [source, key] in source.connectionChanged(of: key, isUp: $0) },
            refusesKey: { [logger] reason in
                logger.error(
                    "a push service refuses the VAPID key that others accept; it is tried again after a while",
                    metadata: ["service": "\(name)", "reason": "\(reason)"])
            })
    }

    private func makePool(_ address: HTTPSAddress, pulling queue: PushServiceQueue) -> PushPool {
        let rules = options.rules
        var networkPath = options.networkPath
        networkPath.permitsAddress = { bytes in
            NetworkAddress(bytes).map { rules.mayConnect(to: $0, for: address) } ?? false
        }
        let target = PoolTarget(
            key: key,
            server: PoolTarget.Server(host: address.host, port: Int(address.port), authority: address.authority),
            networkPath: networkPath, tls: options.tls, authorization: .vapid(options.tokens, origin: address.origin),
            adapter: WebPushAdapter(address) { [weak queue] in queue?.isKeyProven ?? false })
        var poolLimits = PushPool.CombinedLimits()
        poolLimits.pool.connections = limits.connections
        poolLimits.upkeep.minimumConnections = 0
        poolLimits.connection = .webPush
        poolLimits.connection.answerTimeoutMilliseconds = limits.answerTimeoutMilliseconds
        var logger = logger
        logger[metadataKey: "service"] = "\(address.host)"
        return PushPool(
            target, loops: loops, source: queue, limits: poolLimits, metrics: metrics, logger: logger)
    }

    /// Returns true if there is room for one more service. If there are too many, the one that was used least recently
    /// among those without deliveries is closed. On the home loop.
    private func makeRoom() -> Bool {
        let services = state.withLock { $0.services }
        guard services.count >= limits.services else { return true }
        let idle = services.filter { $0.value.queue.count == 0 }
        guard let oldest = idle.min(by: { $0.value.queue.lastUsed < $1.value.queue.lastUsed })?.key else {
            return false
        }
        end([oldest])
        return true
    }

    /// Takes back the deliveries that wait for slow services, and closes the services that had no deliveries for a
    /// while. On the home loop.
    private func checkServices() {
        let now = Clock.uptime()
        let services = state.withLock { $0.services }
        for service in services.values { service.queue.giveBackIfSlow(limit: limits.deliveriesOfService, at: now) }
        let idle = services.filter { _, service in
            let queue = service.queue
            return queue.count == 0 && now.milliseconds(since: queue.lastUsed) >= limits.idleTimeoutMilliseconds
        }
        if !idle.isEmpty { end(Array(idle.keys)) }
    }

    /// Removes services and closes their connections; `closing` has these until they are closed.
    private func end(_ names: [String]) {
        let ended = state.withLock { state in names.compactMap { state.services.removeValue(forKey: $0) } }
        for service in ended {
            let closed = service.pool.close()
            let number = state.withLock { state in
                state.nextClosing += 1
                state.closing[state.nextClosing] = closed
                return state.nextClosing
            }
            closed.whenComplete { [weak self] _ in self?.state.withLock { $0.closing[number] = nil } }
        }
    }

    // MARK: State and end

    // A connection to a push service knows no APNs topics, which only APNs has.
    package func replaceConnectionsOneByOne() {}

    package func drainAllConnections() {
        for service in state.withLock({ Array($0.services.values) }) { service.pool.drainAllConnections() }
    }

    package func statistics() -> EventLoopFuture<PushPool.Statistics> {
        let services = state.withLock { $0.services }.sorted { $0.key < $1.key }.map(\.value)
        let isUnreachable = !services.isEmpty && services.allSatisfy { !$0.queue.isReachable }
        return EventLoopFuture.whenAllSucceed(services.map { $0.pool.statistics() }, on: home).map { [metrics] parts in
            var whole = PushPool.Statistics.empty
            whole.inFlight = metrics.inFlight
            whole.maximumStreams = metrics.maximumStreams
            whole.isUnreachable = isUnreachable
            for part in parts {
                whole.connections += part.connections
                whole.opening += part.opening
                whole.draining += part.draining
                for (label, connection) in part.byLabel.sorted(by: { $0.key.number < $1.key.number }) {
                    let number = 1 + whole.byLabel.keys.count { $0.group == label.group }
                    whole.byLabel[ConnectionLabel(group: label.group, number: number)] = connection
                }
            }
            return whole
        }
    }

    package func close() -> EventLoopFuture<Void> {
        ticker.withLock { $0?.cancel() }
        let (services, closing) = state.withLock { state in
            state.isClosing = true
            defer { state.services.removeAll() }
            return (Array(state.services.values), Array(state.closing.values))
        }
        for service in services { service.queue.close() }
        // The pool stays until the last result has come.
        return EventLoopFuture.andAllComplete(services.map { $0.pool.close() } + closing, on: home).map { _ = self }
    }
}
