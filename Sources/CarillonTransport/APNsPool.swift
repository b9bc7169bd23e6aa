package import CarillonAPNs
package import CarillonCore
package import Logging
package import NIOCore
import NIOPosix

/// The connections of one credential to one APNs.
///
/// Decisions are `PoolMachine`'s; all state lives on one event loop of the group, connections are spread over all of them.
package final class APNsPool: Sendable {
    /// The counters of a pool, for metrics and tests.
    package struct Snapshot: Hashable, Sendable {
        /// Connections that take work or are on their way.
        package var connections: Int
        /// Whether the credential was refused.
        package var isStopped: Bool
    }

    /// State of the home event loop.
    private final class State {
        var machine: PoolMachine
        var members: [Int: any Channel] = [:]
        var nextMember = 0
        /// Attempts to connect that are not decided yet.
        var attempts = 0
        var timer: Scheduled<Void>?
        var isClosed = false
        var whenEmpty: [EventLoopPromise<Void>] = []

        init(machine: PoolMachine) {
            self.machine = machine
        }
    }

    /// Where the pool connects.
    package let upstream: Upstream
    private let group: any EventLoopGroup
    private let home: any EventLoop
    private let source: any DeliverySource
    private let connectionLimits: ConnectionMachine.Limits
    private let logger: Logger
    private let state: NIOLoopBoundBox<State>

    /// Makes a pool without connections; the first is opened when there is work.
    package init(
        _ upstream: Upstream,
        group: any EventLoopGroup,
        source: any DeliverySource,
        limits: PoolMachine.Limits = PoolMachine.Limits(),
        connectionLimits: ConnectionMachine.Limits = ConnectionMachine.Limits(),
        logger: Logger
    ) {
        self.upstream = upstream
        self.group = group
        self.source = source
        self.connectionLimits = connectionLimits
        var logger = logger
        logger[metadataKey: "pool"] = "\(upstream.key)"
        self.logger = logger
        home = group.next()
        state = NIOLoopBoundBox.makeBoxSendingValue(State(machine: PoolMachine(limits: limits)), eventLoop: home)
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
        let (upstream, limits, source, connectionLog) = (upstream, connectionLimits, source, logger)
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(.milliseconds(Int64(connectionLimits.connect)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 256 * 1_024, high: 1_024 * 1_024))
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .connect(host: upstream.host, port: upstream.port)
            // Only now: of the addresses of a host several may be tried, each on a channel of its own.
            .flatMapThrowing { channel in
                let connection = APNsConnection(
                    upstream,
                    limits: limits,
                    source: source,
                    observer: observer,
                    logger: connectionLog
                )
                try channel.pipeline.syncOperations.addHandler(connection)
                return channel
            }
        state.attempts += 1
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
                    metadata: ["host": "\(upstream.host)", "port": "\(upstream.port)", "error": "\(error)"]
                )
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
                    state.value.machine.connectionOpened()
                }
            },
            left: { [self] wasOpened in
                home.execute { [self] in
                    let state = state.value
                    state.machine.connectionLeft(
                        wasOpened: wasOpened,
                        at: Clock.now().uptimeMilliseconds,
                        random: .random(in: 0...1)
                    )
                    retryIfIdle(state)
                }
            },
            saturated: { [self] in
                home.execute { [self] in openIfAllowed(state.value) }
            },
            credentialRefused: { [self] reason in
                home.execute { [self] in
                    guard !state.value.machine.isStopped else { return }
                    logger.error(
                        "APNs refuses the credential; what waits for it stays in the outbox until it is replaced and the server restarted",
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

    /// What the pool has now.
    package func snapshot() -> EventLoopFuture<Snapshot> {
        home.submit { [self] in
            let machine = state.value.machine
            return Snapshot(connections: machine.connections, isStopped: machine.isStopped)
        }
    }

    /// Opens nothing more, lets what is in flight be answered, and closes; done when the last connection is gone.
    package func close() -> EventLoopFuture<Void> {
        let done = home.makePromise(of: Void.self)
        home.execute { [self] in
            let state = state.value
            state.isClosed = true
            state.timer?.cancel()
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
