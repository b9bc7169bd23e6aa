import CarillonClock
import CarillonCore
import CarillonProvider
import Logging
import NIOCore
import Synchronization

/// The connections of a pool that carry the same kind of pushes, with the state that decides when one is opened and
/// closed.
///
/// A pool has two: the main group, and the isolated group for pushes under which other connections have ended. All
/// state belongs to the pool's home event loop. The connections run on other event loops and report through
/// `PushConnectionEvent`.
final class ConnectionGroup {
    /// The options in which the two groups of a pool differ.
    struct Options {
        var kind: ConnectionLabel.Group
        /// The source of the connections' work.
        var source: any DeliverySource
        var limits: ConnectionGroupMachine.Limits
        var upkeep: ConnectionUpkeep.Limits
        var connectionLimits: ConnectionMachine.Limits
        /// True if one of several connections is reserved for the interactive lane, and work is balanced between them.
        var sharesWork: Bool
    }

    /// One connection, or an attempt to open one.
    private struct Connection {
        let label: ConnectionLabel
        let statistics = ConnectionStatistics()
        /// The channel; nil until TCP is connected.
        var channel: (any Channel)?
        /// True if the SETTINGS of the provider were received.
        var hasSettings = false
        /// True if the connection has shown that it works.
        var isUp = false
        /// True if the connection takes no new work.
        var isRetired = false
        /// The counts at the end of the last interval of `ConnectionBalanceRule`.
        var lastReport = ConnectionBalanceRule.Report(answers: 0, busy: 0, unanswered: 0)

        func send(_ command: PushConnectionCommand) { channel?.pipeline.fireUserInboundEventTriggered(command) }
    }

    /// A reference that keeps the pool, and with it the group, while a connection or a timer needs them.
    private struct Reference {
        let pool: PoolCoordinator
        let group: ConnectionGroup
    }

    /// The number of the newest connection of this run of the server.
    private static let lastNumber = Atomic<Int>(0)

    private unowned let pool: PoolCoordinator
    private let dependencies: PoolDependencies
    private let options: Options
    private(set) var machine: ConnectionGroupMachine
    private var upkeep: ConnectionUpkeep
    private var balance = ConnectionBalanceRule()
    private var reserved = ReservedConnection()
    /// Connections that are open or being opened, by number.
    private var connections: [Int: Connection] = [:]
    private let attemptTimers: ConnectAttemptTimers
    private let growthCheck: GrowthCheck

    init(_ pool: PoolCoordinator, dependencies: PoolDependencies, options: Options) {
        self.pool = pool
        self.dependencies = dependencies
        self.options = options
        machine = ConnectionGroupMachine(limits: options.limits)
        upkeep = ConnectionUpkeep(limits: options.upkeep, now: Clock.uptime())
        attemptTimers = ConnectAttemptTimers(on: dependencies.home)
        growthCheck = GrowthCheck(on: dependencies.home, processorTimes: dependencies.loops.bulkProcessorTimes)
    }

    private var reference: Reference { Reference(pool: pool, group: self) }

    /// True if no connection is open or being opened.
    var isEmpty: Bool { connections.isEmpty }

    /// The number of connections that are open, being opened or draining.
    var count: Int { connections.count }

    /// True if a connection is open whose SETTINGS were received.
    var hasSettings: Bool { connections.values.contains { $0.hasSettings } }

    /// The number of connections that are being made: their SETTINGS were not received yet.
    var openingCount: Int { connections.values.count { !$0.hasSettings && !$0.isRetired } }

    // MARK: Opening

    /// Wakes the connections to pull work. Opens one if there is none, or if a second attempt is permitted.
    func wake() {
        sendToAll(.pull)
        if machine.connectionCount == 0 || permitsSecondAttempt { openIfNeeded() }
    }

    private var permitsSecondAttempt: Bool {
        machine.permitsSecondAttempt(hasChannel: connections.values.contains { $0.channel != nil })
    }

    /// True if there is work for one more connection. While the provider counts as unreachable, its deliveries are on
    /// disk. Then a connection is made to find out whether the provider can be reached again.
    var needsConnection: Bool { pool.isUnreachable || options.source.hasWork(for: dependencies.target.key) }

    private func openIfNeeded() {
        if needsConnection { openIfAllowed() }
    }

    /// Opens a connection if the machine allows one now. Otherwise sets the timer to the time at which it does.
    private func openIfAllowed() {
        guard !pool.isClosing else { return }
        let now = Clock.uptime()
        switch machine.decideToOpen(at: now, earliest: pool.earliestConnectAttempt, random: .random(in: 0...1)) {
        case .idle:
            break
        case .open:
            pool.connectAttemptBegan(at: now, minimumSpacingMilliseconds: machine.limits.minimumSpacingMilliseconds)
            dependencies.metrics.setNextAttempt(nil)
            open(at: now)
            attemptTimers.scheduleSecondAttempt(milliseconds: machine.limits.secondAttemptMilliseconds) { [reference] in
                if reference.group.permitsSecondAttempt { reference.group.openIfNeeded() }
            }
        case .wait(let until):
            let isNew = attemptTimers.scheduleNextAttempt(at: until, now: now) { [reference] in
                reference.group.openIfNeeded()
            }
            guard isNew else { return }
            dependencies.metrics.setNextAttempt(Clock.wallTime().later(byMilliseconds: until - now))
        }
    }

    /// Begins to open a connection: on the interactive event loop if it will be the reserved one.
    private func open(at now: Uptime) {
        let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = Connection(label: freeLabel)
        connections[number] = connection
        var logger = dependencies.logger
        logger[metadataKey: "connection"] = "\(number)"
        let isReserved = options.sharesWork && reserved.connectionBegan(number)
        let loop = isReserved ? dependencies.loops.interactive.next() : dependencies.loops.bulk.next()
        let report = reports(of: number, attemptedAt: now)
        let limits = options.connectionLimits
        let source = options.source
        let connectionLogger = logger
        let identity = PushConnection.Identity(number: number, statistics: connection.statistics, logger: logger)
        let connectionDependencies = PushConnection.Dependencies(
            target: dependencies.target, metrics: dependencies.metrics, log: dependencies.log,
            laneFlag: dependencies.laneFlag)
        let connecting = dependencies.connector.connect(on: loop)
            // The handler is added last: several addresses may be tried, each on a channel of its own.
            .flatMapThrowing { channel in
                let connection = PushConnection(
                    identity, of: connectionDependencies, limits: limits, source: source, report: report)
                try channel.pipeline.syncOperations.addHandler(connection)
                return channel
            }
        pool.startTicking()
        let reference = NIOLoopBound(reference, eventLoop: dependencies.home)
        connecting.hop(to: dependencies.home).whenComplete { result in
            switch result {
            case .success(let channel): reference.value.group.tcpConnected(number, over: channel)
            case .failure(let error):
                reference.value.group.failedToConnect(
                    number, attemptedAt: now, because: error, logger: connectionLogger)
            }
        }
    }

    /// The label with the lowest free number.
    private var freeLabel: ConnectionLabel {
        let taken = Set(connections.values.map(\.label.number))
        var number = 1
        while taken.contains(number) { number += 1 }
        return ConnectionLabel(group: options.kind, number: number)
    }

    private func tcpConnected(_ number: Int, over channel: any Channel) {
        connections[number]?.channel = channel
        let reference = NIOLoopBound(reference, eventLoop: dependencies.home)
        // The future of a channel that is closed already is complete, so such a channel is removed at once.
        channel.closeFuture.hop(to: dependencies.home).whenComplete { _ in
            reference.value.group.connectionClosed(number)
        }
        if pool.isClosing { connections[number]?.send(.drain) }
    }

    private func failedToConnect(
        _ number: Int, attemptedAt: Uptime, because error: any Error, logger: Logger
    ) {
        logger.warning(
            "cannot connect to \(dependencies.target.adapter.name)",
            metadata: [
                "host": "\(dependencies.target.server.host)", "port": "\(dependencies.target.server.port)",
                "proxy": "\(dependencies.target.networkPath.proxy?.description ?? "none")",
                "error": "\(ConnectionFault(error).text)",
            ]
        )
        connections[number] = nil
        dependencies.metrics.recordFailure(because: error, at: Clock.wallTime())
        connectionRetired(number, as: .ended, attemptedAt: attemptedAt, openMilliseconds: nil)
        pool.connectionRemoved()
    }

    // MARK: Events of connections

    /// Returns the function that takes the reports of a connection, on its event loop.
    private func reports(of number: Int, attemptedAt: Uptime) -> @Sendable (PushConnectionEvent) -> Void {
        let home = dependencies.home
        let source = dependencies.source
        let reference = NIOLoopBound(reference, eventLoop: home)
        return { event in
            // At once: the attempts are given back directly after.
            if case .ended(let unanswered) = event { return source.connectionEnded(unanswered: unanswered) }
            home.execute { reference.value.group.handle(event, of: number, attemptedAt: attemptedAt) }
        }
    }

    private func handle(_ event: PushConnectionEvent, of number: Int, attemptedAt: Uptime) {
        switch event {
        case .settingsReceived: settingsReceived(number)
        case .opened: connectionOpened(number)
        case .retired(let retirement, let openMilliseconds):
            connectionRetired(number, as: retirement, attemptedAt: attemptedAt, openMilliseconds: openMilliseconds)
        case .saturated: connectionSaturated()
        case .blocked: connectionBlocked()
        case .credentialRefused(let reason): pool.credentialRefused(reason)
        case .providerTokenRefused(let reason): pool.providerTokenRefused(reason)
        case .laneReleased: sendToAll(.pull)
        case .ended: break
        }
    }

    private func settingsReceived(_ number: Int) {
        connections[number]?.hasSettings = true
        pool.reportReachabilityIfChanged()
    }

    private func connectionOpened(_ number: Int) {
        dependencies.logger.info(
            "connection opened", metadata: ["connection": "\(number)", "group": "\(options.kind)"])
        dependencies.metrics.connectionOpened()
        dependencies.source.connectionChanged(of: dependencies.target.key, isUp: true)
        // It may be closed before this loop learns that it was opened.
        if connections[number] == nil {
            dependencies.source.connectionChanged(of: dependencies.target.key, isUp: false)
        }
        connections[number]?.isUp = true
        pool.providerTokenAccepted()
        let now = Clock.uptime()
        machine.connectionOpened(at: now)
        growthCheck.connectionOpened()
        // The timer was set to open a second connection because this one was not known to work yet, or for work that
        // this one can take now. If there is more work than it can take, it reports that.
        attemptTimers.cancelNextAttempt()
        if options.sharesWork { updateReserved { $0.connectionOpened(number) } }
        upkeep.connectionOpened(number, at: now, random: .random(in: 0...1))
    }

    private func connectionSaturated() {
        let now = Clock.uptime()
        upkeep.connectionSaturated(at: now)
        growthCheck.connectionSaturated(at: now)
        if growthCheck.permitsConnection(besides: machine.connectionCount, at: now) {
            openIfAllowed()
        } else {
            checkGrowthLater()
        }
    }

    private func checkGrowthLater() {
        growthCheck.schedule { [reference] now in reference.group.checkGrowth(at: now) }
    }

    private func checkGrowth(at now: Uptime) {
        guard needsConnection else { return }
        if growthCheck.permitsConnection(besides: machine.connectionCount, at: now) { return openIfAllowed() }
        if growthCheck.isUndecided { checkGrowthLater() }
    }

    private func connectionBlocked() {
        upkeep.connectionSaturated(at: Clock.uptime())
        openIfAllowed()
    }

    /// Called when a connection takes no new work, or could not be opened.
    private func connectionRetired(
        _ number: Int, as retirement: ConnectionGroupMachine.Retirement, attemptedAt: Uptime, openMilliseconds: UInt64?
    ) {
        if openMilliseconds == nil && retirement != .planned { dependencies.metrics.countFailedAttempt() }
        connections[number]?.isRetired = true
        updateReserved { $0.connectionRetired(number) }
        upkeep.connectionRetired(number)
        machine.connectionRetired(
            retirement, attemptedAt: attemptedAt, openMilliseconds: openMilliseconds, at: Clock.uptime(),
            random: .random(in: 0...1))
        // Work that a lost connection gave back must be pulled by the others. They may have had no free stream when
        // they last asked, and do not ask again by themselves.
        if machine.connectionCount == 0 || retirement != .planned { openIfNeeded() }
    }

    private func connectionClosed(_ number: Int) {
        let connection = connections.removeValue(forKey: number)
        if connection?.isUp == true {
            dependencies.source.connectionChanged(of: dependencies.target.key, isUp: false)
        }
        pool.connectionRemoved()
    }

    /// Tells the connections which of them is the reserved one, if that changes.
    private func updateReserved(_ change: (inout ReservedConnection) -> Void) {
        let before = reserved.number
        change(&reserved)
        guard reserved.number != before else { return }
        if let before { connections[before]?.send(.carryBulk(true)) }
        if let number = reserved.number { connections[number]?.send(.carryBulk(false)) }
    }

    // MARK: Upkeep

    /// Closes a connection that is old or not needed. Called about once a second.
    func endUnneeded() {
        guard let ending = upkeep.takeConnectionToEnd(at: Clock.uptime()) else { return }
        dependencies.logger.info(
            "connection is closed by plan",
            metadata: ["connection": "\(ending.number)", "reason": "\(ending.reason.rawValue)"])
        connections[ending.number]?.send(.drain)
    }

    /// Limits the connections that are served worse than the others. Called once in each interval of
    /// `ConnectionRateLimit`.
    func balanceWork() {
        guard options.sharesWork else { return }
        var reports: [Int: ConnectionBalanceRule.Report] = [:]
        for (number, connection) in connections where connection.channel != nil {
            let report = connection.statistics.current.report
            reports[number] = ConnectionBalanceRule.Report(
                answers: report.answers - connection.lastReport.answers, busy: report.busy - connection.lastReport.busy,
                unanswered: report.unanswered)
            connections[number]?.lastReport = report
        }
        let before = balance.pushesPerInterval
        balance.judge(reports)
        for (number, report) in reports where balance.pushesPerInterval[number] != before[number] {
            if before[number] == nil { logLimited(number, after: report) }
            let pushes = balance.pushesPerInterval[number]
            connections[number]?.send(.limitRate(pushes, intervalMilliseconds: options.upkeep.intervalMilliseconds))
        }
    }

    private func logLimited(_ number: Int, after report: ConnectionBalanceRule.Report) {
        dependencies.logger.notice(
            "a connection is served worse than the others and gets less work",
            metadata: [
                "connection": "\(number)", "answers": "\(report.answers)", "busy": "\(report.busy)",
                "waiting": "\(report.unanswered)",
            ])
    }

    func replaceConnectionsOneByOne() { upkeep.replaceAll(at: Clock.uptime()) }

    // MARK: Ending

    /// Drains every connection; others are opened if there is work.
    func endAll() { sendToAll(.drain) }

    /// Stops the timers and drains every connection.
    func close() {
        attemptTimers.cancel()
        growthCheck.cancel()
        sendToAll(.drain)
    }

    private func sendToAll(_ command: PushConnectionCommand) {
        for connection in connections.values { connection.send(command) }
    }

    /// Adds the open connections to the statistics of the pool.
    func addConnections(to statistics: inout PushPool.Statistics) {
        for (number, connection) in connections where connection.channel != nil {
            let (report, maximumStreams) = connection.statistics.current
            let (windowBytes, roundTrip) = connection.statistics.network
            statistics.byLabel[connection.label] = PushPool.Statistics.Connection(
                inFlight: report.unanswered, maximumStreams: maximumStreams, answers: report.answers,
                maximumPushesPerSecond: balance.pushesPerInterval[number], windowBytes: windowBytes,
                roundTripMicroseconds: roundTrip)
        }
    }
}
