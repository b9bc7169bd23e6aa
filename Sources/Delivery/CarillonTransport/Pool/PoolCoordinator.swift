import CarillonClock
import CarillonCore
import CarillonProvider
import Logging
import NIOCore

/// The two connection groups of a pool, and the decisions for both: reachability, the credential, the end. Belongs to
/// the home event loop.
final class PoolCoordinator {
    private let dependencies: PoolDependencies
    private let mainOptions: ConnectionGroup.Options
    private let isolatedOptions: ConnectionGroup.Options
    /// The group for all pushes but the isolated ones.
    private(set) lazy var main = ConnectionGroup(self, dependencies: dependencies, options: mainOptions)
    /// The group for pushes that were in flight when other connections ended.
    private(set) lazy var isolated = ConnectionGroup(self, dependencies: dependencies, options: isolatedOptions)
    private var reachability: Reachability
    private var providerTokenRefusals = ProviderTokenRefusals()
    /// The time before which neither group begins another attempt to connect.
    private(set) var earliestConnectAttempt: Uptime = 0
    private var ticker: Scheduled<Void>?
    /// True if the pool is closing: it opens nothing more.
    private(set) var isClosing = false
    private var whenEmpty: [EventLoopPromise<Void>] = []

    /// The interval at which upkeep checks the connections.
    private let interval: TimeAmount

    init(
        _ dependencies: PoolDependencies,
        limits: ConnectionGroupMachine.Limits,
        connectionLimits: ConnectionMachine.Limits,
        upkeep: ConnectionUpkeep.Limits
    ) {
        self.dependencies = dependencies
        reachability = Reachability(outageMilliseconds: upkeep.outageMilliseconds)
        interval = .milliseconds(Int64(clamping: upkeep.intervalMilliseconds))
        let source = dependencies.source
        mainOptions = ConnectionGroup.Options(
            kind: .main, source: source, limits: limits, upkeep: upkeep, connectionLimits: connectionLimits,
            sharesWork: true)
        var isolatedLimits = limits
        var isolatedUpkeep = upkeep
        var isolatedConnection = connectionLimits
        isolatedLimits.connections = 1
        isolatedUpkeep.minimumConnections = 0
        isolatedConnection.streams = min(connectionLimits.streams, Isolation.Limits().concurrentPushes)
        isolatedOptions = ConnectionGroup.Options(
            kind: .isolated, source: IsolatingSource.DivertedPushes(source: source), limits: isolatedLimits,
            upkeep: isolatedUpkeep, connectionLimits: isolatedConnection, sharesWork: false)
    }

    func wakeMain() {
        if !isClosing { main.wake() }
    }

    /// Wakes both groups: pushes that waited for an access token are sent now.
    func wakeAll() {
        wakeMain()
        wakeIsolated()
    }

    func wakeIsolated() {
        if !isClosing { isolated.wake() }
    }

    func replaceConnectionsOneByOne() {
        main.replaceConnectionsOneByOne()
        isolated.replaceConnectionsOneByOne()
    }

    // MARK: Events of the groups

    var isUnreachable: Bool { reachability.isUnreachable }

    /// Reports whether the provider can be reached, if that has changed.
    func reportReachabilityIfChanged() {
        guard !isClosing else { return }
        let isConnected = main.hasSettings
        let isNeeded = !isConnected && main.needsConnection
        guard reachability.update(isConnected: isConnected, isNeeded: isNeeded, at: Clock.uptime()) else {
            return
        }
        dependencies.source.reachabilityChanged(
            of: dependencies.target.key, isReachable: !reachability.isUnreachable, reportedBy: dependencies.identity)
    }

    /// Called when an attempt to connect has begun. Both groups wait a while before the next attempt.
    func connectAttemptBegan(at now: Uptime, minimumSpacingMilliseconds: UInt64) {
        earliestConnectAttempt = now + minimumSpacingMilliseconds
    }

    /// Called when the provider has ended a connection because of the credential; reports it.
    func credentialRefused(_ reason: String) {
        // A pool that is closing has an old credential, so its refusal is not reported.
        guard !isClosing else { return }
        dependencies.source.credentialRefused(
            of: dependencies.target.key, reason: reason, reportedBy: dependencies.identity)
    }

    /// Warns if the provider refuses the provider token, as expired or as renewed too often, on one connection after
    /// the other.
    func providerTokenRefused(_ reason: String) {
        guard providerTokenRefusals.providerTokenRefused(at: Clock.uptime()) else { return }
        let name = dependencies.target.adapter.name
        dependencies.logger.warning(
            "\(name) refuses the provider token on one connection after the other: is the clock of this machine right?",
            metadata: ["reason": "\(reason)", "connections": "\(providerTokenRefusals.count)"])
    }

    /// Called when a connection has shown that it works, and so does its provider token.
    func providerTokenAccepted() { providerTokenRefusals.providerTokenAccepted() }

    /// Drains every connection; others are opened if there is work.
    func drainAllConnections() {
        main.endAll()
        isolated.endAll()
    }

    /// Ends the pool if it is closing, and the connection that is closed, or could not be opened, was the last.
    func connectionRemoved() {
        guard isClosing, main.isEmpty, isolated.isEmpty else { return }
        for promise in whenEmpty { promise.succeed(()) }
        whenEmpty.removeAll()
    }

    // MARK: Upkeep

    func startTicking() {
        guard ticker == nil, !isClosing else { return }
        ticker = dependencies.home.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            ticker = nil
            tick()
            startTicking()
        }
    }

    private func tick() {
        dependencies.source.giveBackOverdue()
        main.balanceWork()
        reportReachabilityIfChanged()
        main.endUnneeded()
        isolated.endUnneeded()
    }

    // MARK: Snapshot and end

    func statistics() -> PushPool.Statistics {
        let connections = main.machine.connectionCount + isolated.machine.connectionCount
        var statistics = PushPool.Statistics(
            connections: connections, opening: main.openingCount + isolated.openingCount,
            draining: max(0, main.count + isolated.count - connections), inFlight: dependencies.metrics.inFlight,
            maximumStreams: dependencies.metrics.maximumStreams, isUnreachable: reachability.isUnreachable)
        main.addConnections(to: &statistics)
        isolated.addConnections(to: &statistics)
        return statistics
    }

    /// Opens nothing more and drains every connection; completes the promise when the last one is closed.
    func close(_ done: EventLoopPromise<Void>) {
        isClosing = true
        ticker?.cancel()
        whenEmpty.append(done)
        main.close()
        isolated.close()
        dependencies.source.close()
        connectionRemoved()
    }
}

/// The parts that the connection groups of a pool share.
struct PoolDependencies: Sendable {
    let target: PoolTarget
    let connector: Connector
    /// The source of work; it keeps the isolated pushes.
    let source: IsolatingSource
    /// True if a connection owns the interactive lane.
    let laneFlag = InteractiveLaneOwnership.Flag()
    let metrics: PoolMetrics
    let log = ConnectionLogger()
    let logger: Logger
    /// The event loop of the pool's decisions.
    let home: any EventLoop
    let loops: PushPool.Loops
}

extension PoolDependencies {
    var identity: ObjectIdentifier { ObjectIdentifier(source) }
}
