package import CarillonAPNs
package import CarillonCore
package import Logging
package import NIOCore

/// The connections of one credential to one APNs.
///
/// Decisions are `PoolMachine`'s; all state lives on one event loop of the group, connections are spread over all of them.
package final class APNsPool: Sendable {
    /// The counters of a pool, for metrics and tests.
    package struct Snapshot: Hashable, Sendable {
        /// Connections that take work or are on their way.
        package var connections: Int
        /// Of these, those on their way.
        package var opening: Int
        /// Connections that take no new work and wait for answers.
        package var draining: Int
        /// Pushes that are not answered.
        package var inFlight: Int
        /// Pushes that APNs would take at once on the connections that are open.
        package var streams = 0
        /// Whether the credential was refused.
        package var isStopped: Bool

        /// Of a pool that is gone.
        package static let nothing = Snapshot(connections: 0, opening: 0, draining: 0, inFlight: 0, isStopped: false)
    }

    /// State of the home event loop.
    private final class State {
        var machine: PoolMachine
        var upkeep: PoolUpkeep
        var members: [Int: any Channel] = [:]
        var nextMember = 0
        /// Attempts to connect that are not decided yet.
        var attempts = 0
        var timer: Scheduled<Void>?
        var ticker: RepeatedTask?
        var isClosed = false
        var whenEmpty: [EventLoopPromise<Void>] = []

        init(machine: PoolMachine, upkeep: PoolUpkeep) {
            self.machine = machine
            self.upkeep = upkeep
        }
    }

    /// Where the pool connects.
    package let upstream: Upstream
    private let group: any EventLoopGroup
    private let home: any EventLoop
    private let source: any DeliverySource
    private let connectionLimits: ConnectionMachine.Limits
    private let connector: Connector
    /// What it counts.
    package let metrics: PoolMetrics
    private let logger: Logger
    private let state: NIOLoopBoundBox<State>

    /// How often upkeep looks at the connections; its times are seconds and more.
    private static let tick = TimeAmount.seconds(1)

    /// Makes a pool without connections; the first is opened when there is work.
    package init(
        _ upstream: Upstream,
        group: any EventLoopGroup,
        source: any DeliverySource,
        limits: PoolMachine.Limits = PoolMachine.Limits(),
        connectionLimits: ConnectionMachine.Limits = ConnectionMachine.Limits(),
        upkeep: PoolUpkeep.Limits = PoolUpkeep.Limits(),
        metrics: PoolMetrics? = nil,
        logger: Logger
    ) {
        self.upstream = upstream
        self.group = group
        self.source = source
        self.connectionLimits = connectionLimits
        self.metrics = metrics ?? PoolMetrics(upstream.key)
        connector = Connector(upstream, timeout: connectionLimits.connect)
        var logger = logger
        logger[metadataKey: "pool"] = "\(upstream.key)"
        self.logger = logger
        home = group.next()
        state = NIOLoopBoundBox.makeBoxSendingValue(
            State(
                machine: PoolMachine(limits: limits),
                upkeep: PoolUpkeep(limits: upkeep, now: Clock.now().uptimeMilliseconds)),
            eventLoop: home)
    }

    /// There is work: connections take it, or one is opened. Cheap to call often; from any thread.
    package func wake() {
        home.execute { [self] in wakeAtHome() }
    }

    private func wakeAtHome() {
        let state = state.value
        guard !state.isClosed else { return }
        tellMembers(.takeWork)
        if state.machine.connections == 0 { openIfAllowed(state) }
    }

    private func tellMembers(_ order: APNsConnection.Order) {
        for channel in state.value.members.values { channel.pipeline.fireUserInboundEventTriggered(order) }
    }

    private func openIfAllowed(_ state: State) {
        guard !state.isClosed else { return }
        let now = Clock.now().uptimeMilliseconds
        switch state.machine.workWaits(at: now, random: .random(in: 0...1)) {
        case .rest:
            break
        case .open:
            open(state)
        case .wait(let until):
            guard state.timer == nil else { return }
            state.timer = home.scheduleTask(in: .milliseconds(Int64(clamping: until - now))) { [self] in
                self.state.value.timer = nil
                openIfAllowed(self.state.value)
            }
        }
    }

    private func open(_ state: State) {
        state.nextMember += 1
        let number = state.nextMember
        var logger = logger
        logger[metadataKey: "connection"] = "\(number)"
        let loop = group.next()
        let observer = observer(of: number)
        let (upstream, limits, source, metrics, connectionLog) = (upstream, connectionLimits, source, metrics, logger)
        let connecting = connector.connect(on: loop)
            // Only now: of the addresses of a host several may be tried, each on a channel of its own.
            .flatMapThrowing { channel in
                let connection = APNsConnection(
                    upstream,
                    limits: limits,
                    source: source,
                    observer: observer,
                    metrics: metrics,
                    logger: connectionLog
                )
                try channel.pipeline.syncOperations.addHandler(connection)
                return channel
            }
        state.attempts += 1
        startUpkeep(state)
        connecting.hop(to: home).whenComplete { [self] result in
            let state = self.state.value
            state.attempts -= 1
            switch result {
            case .success(let channel):
                // One that is over already leaves at once: its future is complete.
                state.members[number] = channel
                channel.closeFuture.hop(to: home).whenComplete { [self] _ in
                    self.state.value.members[number] = nil
                    closeIfEmpty(self.state.value)
                }
                if state.isClosed || state.machine.isStopped {
                    channel.pipeline.fireUserInboundEventTriggered(APNsConnection.Order.drain)
                }
            case .failure(let error):
                connectionLog.warning(
                    "cannot connect to APNs",
                    metadata: [
                        "host": "\(upstream.host)", "port": "\(upstream.port)",
                        "proxy": "\(upstream.proxy?.description ?? "none")", "error": "\(error)",
                    ]
                )
                metrics.connectionFailed()
                state.machine.connectionLeft(
                    wasOpened: false,
                    at: Clock.now().uptimeMilliseconds,
                    random: .random(in: 0...1)
                )
                retryIfIdle(state)
                closeIfEmpty(state)
            }
        }
    }

    private func observer(of number: Int) -> APNsConnection.Observer {
        APNsConnection.Observer(
            opened: { [self] in
                home.execute { [self] in
                    logger.info("connection opened", metadata: ["connection": "\(number)"])
                    metrics.connectionOpened()
                    let state = state.value
                    state.machine.connectionOpened()
                    state.upkeep.opened(
                        number, at: Clock.now().uptimeMilliseconds, random: .random(in: 0...1))
                }
            },
            left: { [self] wasOpened in
                home.execute { [self] in
                    let state = state.value
                    if !wasOpened { metrics.connectionFailed() }
                    state.upkeep.left(number)
                    state.machine.connectionLeft(
                        wasOpened: wasOpened,
                        at: Clock.now().uptimeMilliseconds,
                        random: .random(in: 0...1)
                    )
                    retryIfIdle(state)
                }
            },
            saturated: { [self] in
                home.execute { [self] in
                    state.value.upkeep.saturated(at: Clock.now().uptimeMilliseconds)
                    openIfAllowed(state.value)
                }
            },
            credentialRefused: { [self] reason in
                home.execute { [self] in
                    // A pool that is closing speaks for a credential that has been replaced.
                    guard !state.value.machine.isStopped, !state.value.isClosed else { return }
                    logger.error(
                        "APNs refuses the credential; what waits for it stays in the outbox until it is replaced and SIGHUP sent",
                        metadata: ["reason": "\(reason)"]
                    )
                    state.value.machine.credentialRefused()
                    tellMembers(.drain)
                    source.stopped(upstream.key)
                }
            }
        )
    }

    /// Work that a lost connection gave back waits for the next one.
    private func retryIfIdle(_ state: State) {
        if state.machine.connections == 0 { openIfAllowed(state) }
    }

    // MARK: Upkeep

    private func startUpkeep(_ state: State) {
        guard state.ticker == nil, !state.isClosed else { return }
        state.ticker = home.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.tend()
        }
    }

    private func tend() {
        let state = state.value
        guard let ending = state.upkeep.timerFired(at: Clock.now().uptimeMilliseconds) else { return }
        logger.info(
            "connection ends in good order",
            metadata: ["connection": "\(ending.number)", "reason": "\(ending.reason.rawValue)"])
        state.members[ending.number]?.pipeline.fireUserInboundEventTriggered(APNsConnection.Order.drain)
    }

    /// Replaces every connection, one after another: topics that were added to the credential are known to new ones only.
    package func renew() {
        home.execute { [self] in state.value.upkeep.renewAll(at: Clock.now().uptimeMilliseconds) }
    }

    /// What the pool has now.
    package func snapshot() -> EventLoopFuture<Snapshot> {
        home.submit { [self] in
            let (machine, members) = (state.value.machine, state.value.members.count + state.value.attempts)
            return Snapshot(
                connections: machine.connections, opening: machine.opening,
                draining: max(0, members - machine.connections), inFlight: metrics.inFlight,
                streams: metrics.streams, isStopped: machine.isStopped)
        }
    }

    /// Opens nothing more, lets what is in flight be answered, and closes; done when the last connection is gone.
    package func close() -> EventLoopFuture<Void> {
        let done = home.makePromise(of: Void.self)
        home.execute { [self] in
            let state = state.value
            state.isClosed = true
            state.timer?.cancel()
            state.ticker?.cancel()
            state.whenEmpty.append(done)
            tellMembers(.drain)
            closeIfEmpty(state)
        }
        return done.futureResult
    }

    private func closeIfEmpty(_ state: State) {
        guard state.isClosed, state.members.isEmpty, state.attempts == 0 else { return }
        for promise in state.whenEmpty { promise.succeed(()) }
        state.whenEmpty.removeAll()
    }
}
