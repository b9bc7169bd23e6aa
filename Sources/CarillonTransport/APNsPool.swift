package import CarillonAPNs
package import CarillonCore
package import Logging
package import NIOCore

/// The connections of one credential to one APNs: the common ones, and when there is need for it one apart, for pushes under
/// which others have ended.
///
/// Decisions are those of `PoolMachine`, `InteractiveReserve`, `PoolUpkeep`, `PoolBalance` and `Isolation`; all state lives on one
/// event loop, connections are spread over all of them.
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
        /// Each connection that stands, by its place.
        package var places: [Place: Connection] = [:]

        /// Of a pool that is gone.
        package static let nothing = Snapshot(connections: 0, opening: 0, draining: 0, inFlight: 0, isStopped: false)

        /// One connection.
        package struct Connection: Hashable, Sendable {
            /// Pushes that are not answered.
            package var inFlight: Int
            /// Streams that may be open at a time.
            package var streams: Int
            /// Pushes answered since the connection was made.
            package var answers: Int
            /// Pushes a second that it gets at most, if it is served worse than the others.
            package var rate: Int?

            /// Of a place whose connection is gone.
            package static let nothing = Connection(inFlight: 0, streams: 0, answers: 0)
        }
    }

    /// Which of a pool's connections it is: the lowest that was free when it was made.
    package enum Place: Hashable, Sendable, CustomStringConvertible {
        /// One of the common connections, from 1.
        case common(Int)
        /// One of the connections apart, from 1; there is seldom more than one.
        case apart(Int)

        /// The number, after `apart-` if it is one.
        package var description: String {
            switch self {
            case .common(let number): "\(number)"
            case .apart(let number): "apart-\(number)"
            }
        }
    }

    /// What connections carry.
    fileprivate enum Duty: CaseIterable {
        /// All but what travels apart.
        case common
        /// Pushes under which others have ended.
        case apart

        func place(_ number: Int) -> Place { self == .common ? .common(number) : .apart(number) }
    }

    /// The connections of one duty.
    private struct Crew {
        var machine: PoolMachine
        var upkeep: PoolUpkeep
        /// Opens the next connection when it may be opened, in milliseconds of uptime.
        var timer: (at: UInt64, task: Scheduled<Void>)?
        /// Opens another one if the last is undecided for long.
        var race: Scheduled<Void>?
    }

    /// One connection.
    private struct Member {
        let place: Place
        let figures = ConnectionStatistics()
        /// Nothing while the attempt to connect is not decided.
        var channel: (any Channel)?
        /// Whether the SETTINGS of APNs have come.
        var isGreeted = false
        /// Whether it has shown that it works.
        var isUp = false
        /// What was answered by the last look.
        var seen = PoolBalance.Report(answers: 0, busy: 0, waiting: 0)

        func tell(_ order: APNsConnection.Order) { channel?.pipeline.fireUserInboundEventTriggered(order) }
    }

    /// State of the home event loop.
    private final class State {
        var common: Crew
        var apart: Crew
        var balance = PoolBalance()
        /// Of the common connections.
        var reserve = InteractiveReserve()
        var reachability = Reachability()
        /// Connections that stand or are on their way, by their numbers.
        var members: [Int: Member] = [:]
        var nextMember = 0
        var ticker: RepeatedTask?
        var isClosed = false
        var whenEmpty: [EventLoopPromise<Void>] = []

        init(common: Crew, apart: Crew) {
            self.common = common
            self.apart = apart
        }

        var isStopped: Bool { common.machine.isStopped }

        subscript(duty: Duty) -> Crew {
            get { duty == .common ? common : apart }
            set { if duty == .common { common = newValue } else { apart = newValue } }
        }

        /// The lowest place that is free.
        func freePlace(_ duty: Duty) -> Place {
            let taken = Set(members.values.map(\.place))
            var number = 1
            while taken.contains(duty.place(number)) { number += 1 }
            return duty.place(number)
        }
    }

    /// Where the pool connects.
    package let upstream: Upstream
    private let group: any EventLoopGroup
    private let interactiveGroup: any EventLoopGroup
    private let home: any EventLoop
    private let isolatingSource: IsolatingSource
    private let seat = InteractiveLaneOwner()
    private let connectionLimits: ConnectionMachine.Limits
    private let connector: APNsConnector
    /// What it counts.
    package let metrics: PoolMetrics
    private let logger: Logger
    private let state: NIOLoopBoundBox<State>

    /// How often upkeep looks at the connections; its times are seconds and more.
    private static let tick = TimeAmount.seconds(1)

    /// Makes a pool without connections; the first is opened when there is work.
    ///
    /// - Parameters:
    ///   - group: carries the connections, and with them the bulk.
    ///   - interactiveGroup: carries the connection that is left to the interactive lane while there are several, and the decisions;
    ///     nothing = `group`.
    package init(
        _ upstream: Upstream,
        group: any EventLoopGroup,
        interactiveGroup: (any EventLoopGroup)? = nil,
        source: any DeliverySource,
        limits: PoolMachine.Limits = PoolMachine.Limits(),
        connectionLimits: ConnectionMachine.Limits = ConnectionMachine.Limits(),
        upkeep: PoolUpkeep.Limits = PoolUpkeep.Limits(),
        metrics: PoolMetrics? = nil,
        logger: Logger
    ) {
        self.upstream = upstream
        self.group = group
        self.interactiveGroup = interactiveGroup ?? group
        isolatingSource = IsolatingSource(source, pool: upstream.key)
        self.connectionLimits = connectionLimits
        self.metrics = metrics ?? PoolMetrics(upstream.key)
        connector = APNsConnector(upstream, timeout: connectionLimits.connect)
        var logger = logger
        logger[metadataKey: "pool"] = "\(upstream.key)"
        self.logger = logger
        home = self.interactiveGroup.next()
        var (one, none) = (limits, upkeep)
        one.connections = 1
        none.minimum = 0
        let now = Clock.now().uptimeMilliseconds
        state = NIOLoopBoundBox.makeBoxSendingValue(
            State(
                common: Crew(machine: PoolMachine(limits: limits), upkeep: PoolUpkeep(limits: upkeep, now: now)),
                apart: Crew(machine: PoolMachine(limits: one), upkeep: PoolUpkeep(limits: none, now: now))),
            eventLoop: home)
        isolatingSource.whenDiverted { [weak self] in
            guard let self else { return }
            home.execute { [self] in wakeAtHome(.apart) }
        }
    }

    /// There is work: connections take it, or one is opened. Cheap to call often; from any thread.
    package func wake() {
        home.execute { [self] in wakeAtHome(.common) }
    }

    private func wakeAtHome(_ duty: Duty) {
        let state = state.value
        guard !state.isClosed else { return }
        tell(duty, .takeWork)
        if state[duty].machine.connections == 0 || state[duty].machine.isUndecided { openIfAllowed(duty) }
    }

    private func tell(_ duty: Duty, _ order: APNsConnection.Order) {
        for member in state.value.members.values where member.place.duty == duty { member.tell(order) }
    }

    private func openIfAllowed(_ duty: Duty) {
        let state = state.value
        guard !state.isClosed else { return }
        let now = Clock.now().uptimeMilliseconds
        switch state[duty].machine.workWaits(at: now, random: .random(in: 0...1)) {
        case .rest:
            break
        case .open:
            open(duty)
            state[duty].race?.cancel()
            state[duty].race = schedule(after: state[duty].machine.limits.patience) { [self] in
                if mayRace(duty) { openIfAllowed(duty) }
            }
        case .wait(let until):
            if let timer = state[duty].timer, timer.at <= until { return }
            state[duty].timer?.task.cancel()
            let task = schedule(after: until - now) { [self] in
                self.state.value[duty].timer = nil
                openIfAllowed(duty)
            }
            state[duty].timer = (until, task)
        }
    }

    /// Whether the last connection takes so long that another one may be better. If one stands already, it may be that there
    /// is nothing to send with it.
    private func mayRace(_ duty: Duty) -> Bool {
        let state = state.value
        guard state[duty].machine.isUndecided else { return false }
        return state[duty].machine.opening == 1
            || state.members.values.allSatisfy { $0.place.duty != duty || $0.channel == nil }
    }

    private func schedule(after milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        home.scheduleTask(in: .milliseconds(Int64(clamping: milliseconds)), body)
    }

    private func open(_ duty: Duty) {
        let state = state.value
        state.nextMember += 1
        let number = state.nextMember
        let member = Member(place: state.freePlace(duty))
        state.members[number] = member
        var logger = logger
        logger[metadataKey: "connection"] = "\(number)"
        let isReserved = duty == .common && state.reserve.opens(number)
        let loop = isReserved ? interactiveGroup.next() : group.next()
        let observer = observer(of: number, duty)
        var limits = connectionLimits
        if duty == .apart { limits.streams = min(limits.streams, Isolation.Limits().company) }
        let source: any DeliverySource =
            duty == .common ? isolatingSource : IsolatingSource.Apart(isolatingSource: isolatingSource)
        let (upstream, connectionLimits, metrics, figures, seat, connectionLog) =
            (upstream, limits, metrics, member.figures, seat, logger)
        let connecting = connector.connect(on: loop)
            // Only now: of the addresses of a host several may be tried, each on a channel of its own.
            .flatMapThrowing { channel in
                let connection = APNsConnection(
                    upstream,
                    limits: connectionLimits,
                    source: source,
                    observer: observer,
                    metrics: metrics,
                    figures: figures,
                    seat: seat,
                    logger: connectionLog
                )
                try channel.pipeline.syncOperations.addHandler(connection)
                return channel
            }
        startUpkeep(state)
        connecting.hop(to: home).whenComplete { [self] result in
            switch result {
            case .success(let channel): connected(number, channel)
            case .failure(let error): notConnected(number, duty, error, connectionLog)
            }
        }
    }

    private func connected(_ number: Int, _ channel: any Channel) {
        let state = state.value
        state.members[number]?.channel = channel
        // One that is over already leaves at once: its future is complete.
        channel.closeFuture.hop(to: home).whenComplete { [self] _ in
            let member = self.state.value.members.removeValue(forKey: number)
            if member?.isUp == true { isolatingSource.connectionChanged(of: upstream.key, isUp: false) }
            closeIfEmpty()
        }
        if state.isClosed || state.isStopped { state.members[number]?.tell(.drain) }
    }

    private func notConnected(_ number: Int, _ duty: Duty, _ error: any Error, _ log: Logger) {
        log.warning(
            "cannot connect to APNs",
            metadata: [
                "host": "\(upstream.host)", "port": "\(upstream.port)",
                "proxy": "\(upstream.proxy?.description ?? "none")", "error": "\(error)",
            ]
        )
        state.value.members[number] = nil
        left(number, duty, wasOpened: false)
        closeIfEmpty()
    }

    private func observer(of number: Int, _ duty: Duty) -> APNsConnection.Observer {
        APNsConnection.Observer(
            greeted: { [self] in home.execute { [self] in greeted(number) } },
            opened: { [self] in home.execute { [self] in opened(number, duty) } },
            left: { [self] wasOpened in home.execute { [self] in left(number, duty, wasOpened: wasOpened) } },
            saturated: { [self] in
                home.execute { [self] in
                    state.value[duty].upkeep.saturated(at: Clock.now().uptimeMilliseconds)
                    openIfAllowed(duty)
                }
            },
            credentialRefused: { [self] reason in home.execute { [self] in credentialRefused(reason) } },
            interactiveLeft: { [self] in home.execute { [self] in tell(.common, .takeWork) } },
            endedUnder: { [isolatingSource] attempts in isolatingSource.connectionEnded(under: attempts) }
        )
    }

    private func greeted(_ number: Int) {
        state.value.members[number]?.isGreeted = true
        lookAround()
    }

    /// Says whether APNs can be reached, when that has changed.
    private func lookAround() {
        let state = state.value
        guard !state.isClosed, !state.isStopped else { return }
        let stands = state.members.values.contains { $0.place.duty == .common && $0.isGreeted }
        guard state.reachability.look(stands: stands, at: Clock.now().uptimeMilliseconds) else { return }
        isolatingSource.reachabilityChanged(
            of: upstream.key, isReachable: !state.reachability.isLost, by: ObjectIdentifier(self))
    }

    private func opened(_ number: Int, _ duty: Duty) {
        logger.info("connection opened", metadata: ["connection": "\(number)", "apart": "\(duty == .apart)"])
        metrics.connectionOpened()
        isolatingSource.connectionChanged(of: upstream.key, isUp: true)
        state.value.members[number]?.isUp = true
        // It may be over before it is known here that it had begun.
        if state.value.members[number] == nil { isolatingSource.connectionChanged(of: upstream.key, isUp: false) }
        state.value[duty].machine.connectionOpened()
        // Another one was to be opened because this one was not known to be any good, or for work that it may take now;
        // if there is more than it can take, it says so.
        state.value[duty].timer?.task.cancel()
        state.value[duty].timer = nil
        if duty == .common { reserve { $0.opened(number) } }
        state.value[duty].upkeep.opened(number, at: Clock.now().uptimeMilliseconds, random: .random(in: 0...1))
    }

    /// Tells the connections which of them is left to the interactive lane, if that changes.
    private func reserve(_ change: (inout InteractiveReserve) -> Void) {
        let state = state.value
        let before = state.reserve.connection
        change(&state.reserve)
        guard state.reserve.connection != before else { return }
        if let before { state.members[before]?.tell(.takeBulk(true)) }
        if let now = state.reserve.connection { state.members[now]?.tell(.takeBulk(false)) }
    }

    private func left(_ number: Int, _ duty: Duty, wasOpened: Bool) {
        if !wasOpened { metrics.connectionFailed() }
        reserve { $0.left(number) }
        state.value[duty].upkeep.left(number)
        state.value[duty].machine.connectionLeft(
            wasOpened: wasOpened, at: Clock.now().uptimeMilliseconds, random: .random(in: 0...1))
        // Work that a lost connection gave back waits for the next one.
        guard state.value[duty].machine.connections == 0, duty == .common || isolatingSource.hasDiverted else { return }
        openIfAllowed(duty)
    }

    private func credentialRefused(_ reason: String) {
        let state = state.value
        // A pool that is closing speaks for a credential that has been replaced.
        guard !state.isStopped, !state.isClosed else { return }
        logger.error(
            "APNs refuses the credential; what waits for it stays in the outbox until it is replaced and SIGHUP sent",
            metadata: ["reason": "\(reason)"]
        )
        for duty in Duty.allCases {
            state[duty].machine.credentialRefused()
            tell(duty, .drain)
        }
        isolatingSource.end()
        isolatingSource.stopped(upstream.key, by: ObjectIdentifier(self))
    }

    // MARK: Upkeep

    private func startUpkeep(_ state: State) {
        guard state.ticker == nil, !state.isClosed else { return }
        state.ticker = home.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.tend()
        }
    }

    private func tend() {
        isolatingSource.tend()
        balance()
        lookAround()
        let state = state.value
        for duty in Duty.allCases {
            guard let ending = state[duty].upkeep.timerFired(at: Clock.now().uptimeMilliseconds) else { continue }
            logger.info(
                "connection ends in good order",
                metadata: ["connection": "\(ending.number)", "reason": "\(ending.reason.rawValue)"])
            state.members[ending.number]?.tell(.drain)
        }
    }

    /// Gives less to those common connections that are served worse than the others.
    private func balance() {
        let state = state.value
        var reports: [Int: PoolBalance.Report] = [:]
        for (number, member) in state.members where member.place.duty == .common && member.channel != nil {
            let now = member.figures.now.report
            reports[number] = PoolBalance.Report(
                answers: now.answers - member.seen.answers, busy: now.busy - member.seen.busy, waiting: now.waiting)
            state.members[number]?.seen = now
        }
        let before = state.balance.rates
        state.balance.judge(reports)
        for (number, report) in reports where state.balance.rates[number] != before[number] {
            let rate = state.balance.rates[number]
            if before[number] == nil {
                logger.notice(
                    "a connection is served worse than the others and gets less",
                    metadata: [
                        "connection": "\(number)", "answers": "\(report.answers)", "busy": "\(report.busy)",
                        "waiting": "\(report.waiting)",
                    ])
            }
            state.members[number]?.tell(.ration(rate))
        }
    }

    /// Replaces every connection, one after another: topics that were added to the credential are known to new ones only.
    package func renew() {
        home.execute { [self] in
            for duty in Duty.allCases { state.value[duty].upkeep.renewAll(at: Clock.now().uptimeMilliseconds) }
        }
    }

    /// What the pool has now.
    package func snapshot() -> EventLoopFuture<Snapshot> {
        home.submit { [self] in
            let state = state.value
            let connections = Duty.allCases.reduce(0) { $0 + state[$1].machine.connections }
            var snapshot = Snapshot(
                connections: connections, opening: Duty.allCases.reduce(0) { $0 + state[$1].machine.opening },
                draining: max(0, state.members.count - connections), inFlight: metrics.inFlight,
                streams: metrics.streams, isStopped: state.isStopped)
            for (number, member) in state.members where member.channel != nil {
                let (report, streams) = member.figures.now
                snapshot.places[member.place] = Snapshot.Connection(
                    inFlight: report.waiting, streams: streams, answers: report.answers,
                    rate: state.balance.rates[number])
            }
            return snapshot
        }
    }

    /// Opens nothing more, lets what is in flight be answered, and closes; done when the last connection is gone.
    package func close() -> EventLoopFuture<Void> {
        let done = home.makePromise(of: Void.self)
        home.execute { [self] in
            let state = state.value
            state.isClosed = true
            state.ticker?.cancel()
            state.whenEmpty.append(done)
            for duty in Duty.allCases {
                state[duty].timer?.task.cancel()
                state[duty].race?.cancel()
                tell(duty, .drain)
            }
            isolatingSource.end()
            closeIfEmpty()
        }
        return done.futureResult
    }

    private func closeIfEmpty() {
        let state = state.value
        guard state.isClosed, state.members.isEmpty else { return }
        for promise in state.whenEmpty { promise.succeed(()) }
        state.whenEmpty.removeAll()
    }
}

extension APNsPool.Place {
    fileprivate var duty: APNsPool.Duty {
        switch self {
        case .common: .common
        case .apart: .apart
        }
    }
}
