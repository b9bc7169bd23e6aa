import CarillonClock
import CarillonCluster
import CarillonClusterNode
import CarillonCore
import CarillonDelivery
import CarillonHTTP
import CarillonTransport
import CarillonWire
import NIOCore
import NIOPosix
import Synchronization

/// Makes the answers to STATISTICS from the counters of the metrics, the engine, the pools and the registry.
///
/// An answer is cached for a moment, so that many clients cost no more than one.
final class StatisticsSource: Sendable {
    /// The services of the server whose counters are read, and the limit of the database.
    struct Services: Sendable {
        var registry: any MessageReads & StatisticsReads
        var delivery: DeliveryService
        var pools: PoolManager
        var batches: BatchMetrics
        /// The loop from which the pools are asked.
        var loop: any EventLoop
        /// The threads on which the registry is counted.
        var upkeep: NIOThreadPool
        var databaseLimitBytes: Int
        /// The cluster; nil for a server on its own.
        var cluster: ClusterService?
    }

    /// How long an answer is cached, in milliseconds.
    private static let cacheMilliseconds: UInt64 = 200
    /// The most messages being sent that are listed.
    private static let maximumMessages = 64

    private let services: Services
    private let requests: RequestMetrics
    private let connections: ConnectionLimiter
    private let uptime: @Sendable () -> Uptime
    let registryCounter: RegistryCounter
    private let startedAt = Clock.wallTime()
    private let cached = Mutex<(at: Uptime, statistics: ServerStatistics)?>(nil)

    /// Makes a source without cached answers.
    ///
    /// - Parameter uptime: the clock of the cache.
    init(
        _ services: Services, requests: RequestMetrics, connections: ConnectionLimiter,
        uptime: @escaping @Sendable () -> Uptime = Clock.uptime
    ) {
        self.services = services
        self.requests = requests
        self.connections = connections
        self.uptime = uptime
        registryCounter = RegistryCounter(services.registry, on: services.upkeep)
    }

    /// Gives the statistics to `done`, on any thread; nil while the server ends.
    ///
    /// - Parameters:
    ///   - readers: the threads on which the database is read.
    ///   - principal: the client.
    func read(on readers: ReaderThreads, for principal: String, _ done: @escaping @Sendable (ServerStatistics?) -> Void)
    {
        let now = uptime()
        // Another loop may have read the clock later than this one, and may have got its answer earlier.
        if let cached = cached.withLock({ $0 }), now < cached.at + Self.cacheMilliseconds {
            return done(cached.statistics)
        }
        registryCounter.fetchCounts { [self] counted in
            poolStatuses(on: readers, for: principal) { [self] pools in
                let statistics = pools.map { serverStatistics(of: $0, counts: counted) }
                if let statistics { cached.withLock { $0 = (now, statistics) } }
                done(statistics)
            }
        }
    }

    /// Gives a sample for the console to `done`, on any thread; nil while the server ends. It has no counts of the
    /// apps: a count reads all names, and samples are taken all the time.
    ///
    /// - Parameters:
    ///   - readers: the threads on which the database is read.
    ///   - principal: the client for which the threads read.
    func sample(
        on readers: ReaderThreads, for principal: String, _ done: @escaping @Sendable (ConsoleSample?) -> Void
    ) {
        poolStatuses(on: readers, for: principal) { [self] pools in done(pools.map(sample)) }
    }

    private func sample(_ pools: [PoolManager.Status]) -> ConsoleSample {
        var sample = ConsoleSample(serverStatistics(of: pools, counts: nil))
        for message in sample.statistics.sending {
            // Why try?: a message that was just removed has none.
            sample.outcomes[message.id] = (try? services.registry.status(of: message.id, app: message.app))?.outcomes
        }
        sample.connections = pools.flatMap(openConnections)
        sample.badTokenAlarms = services.delivery.badTokenAlarms.map {
            ConsoleSample.BadTokenAlarm(app: $0.app, destination: $0.destination)
        }
        for pool in pools {
            let accepted = pool.totals.answers.lazy.filter { (200..<300).contains($0.status) }.map(\.count)
            sample.accepted[pool.key.destination.provider, default: 0] &+= accepted.reduce(0, &+)
        }
        sample.nodes = services.cluster?.status.map(nodes) ?? []
        return sample
    }

    private func nodes(of status: NodeLoop.Status) -> [ConsoleSample.NodeRow] {
        guard let view = status.view else { return [] }
        return view.nodes.map { node in
            let isThisNode = node.member == status.member
            // The node's own figures are newer than the figures that it has published.
            let position = isThisNode ? status.applied : node.progress.applied
            return ConsoleSample.NodeRow(
                name: node.member.node.text, isThisNode: isThisNode, isLive: node.isLive, position: position.number,
                lagEntries: isThisNode ? status.lagEntries : view.ends.head.distance(from: position),
                silenceMilliseconds: node.silenceMilliseconds,
                leaseMilliseconds: isThisNode ? status.remainingMilliseconds : nil, version: node.progress.version,
                address: node.progress.address)
        }
    }

    private func openConnections(of status: PoolManager.Status) -> [ConsoleSample.ProviderConnection] {
        status.statistics.byLabel.map { label, connection in
            ConsoleSample.ProviderConnection(
                credential: status.key.credential, environment: status.key.destination.environment,
                provider: status.key.destination.provider, label: label.description, inFlight: connection.inFlight,
                streams: connection.maximumStreams, windowBytes: connection.windowBytes,
                roundTripMicroseconds: connection.roundTripMicroseconds, answers: connection.answers,
                maximumPushesPerSecond: connection.maximumPushesPerSecond)
        }
    }

    /// Gives the states of the pools to `done`, on a thread that may read the database; nil, on any thread, while the
    /// server ends.
    private func poolStatuses(
        on readers: ReaderThreads, for principal: String, _ done: @escaping @Sendable ([PoolManager.Status]?) -> Void
    ) {
        services.pools.statuses(on: services.loop).whenComplete { result in
            // Why try?: nil says that the server stops.
            guard let pools = try? result.get() else { return done(nil) }
            readers.submit(for: principal) { isActive in done(isActive ? pools : nil) }
        }
    }

    private func serverStatistics(
        of pools: [PoolManager.Status], counts: ServerStatistics.RegistryCounts?
    ) -> ServerStatistics {
        var statistics = ServerStatistics(
            at: Clock.wallTime(), startedAt: startedAt, software: CarillonServer.software)
        let clients = connections.counts
        statistics.clients = UInt32(clamping: clients.connections)
        statistics.halfOpen = UInt32(clamping: clients.halfOpen)
        statistics.requests = requests.totals
        statistics.batches = services.batches.statistics
        statistics.batches.waiting = UInt32(clamping: services.registry.queueLoad.changes)
        statistics.unrecorded = UInt32(clamping: services.delivery.load.unrecorded)
        statistics.outcomes = services.delivery.outcomeTotals
        let overview = services.delivery.overview(limit: Self.maximumMessages)
        statistics.lanes = Lane.allCases.map { lane in
            let load = overview.lanes[lane, default: DeliveryEngine.Overview.LaneLoad()]
            return ServerStatistics.LaneLoad(
                lane: lane, messages: UInt32(clamping: load.messages), waiting: UInt32(clamping: load.waiting),
                delayed: UInt32(clamping: load.delayed), inFlight: UInt32(clamping: load.inFlight))
        }
        statistics.sending = overview.running.compactMap(sending)
        statistics.pools = pools.map { pool($0, throttle: overview.throttles[$0.key]) }.sorted {
            ($0.credential, $0.environment.rawValue) < ($1.credential, $1.environment.rawValue)
        }
        statistics.database = database()
        statistics.registryCounts = counts
        statistics.cluster = services.cluster?.statistics
        return statistics
    }

    /// Returns a message with its progress; nil if it was just removed, or cannot be read.
    private func sending(_ running: DeliveryEngine.Overview.RunningMessage) -> ServerStatistics.SendingMessage? {
        // Why try?: a registry that has failed reports it itself.
        guard let status = try? services.registry.status(of: running.id, app: running.queue.app) else { return nil }
        return ServerStatistics.SendingMessage(
            id: running.id, app: running.queue.app, lane: running.queue.lane, acceptedAt: status.acceptedAt,
            total: status.total, ended: status.total - min(status.total, status.outcomes[.pending] ?? 0),
            inFlight: UInt32(clamping: running.inFlight), rate: running.rate)
    }

    private func pool(_ status: PoolManager.Status, throttle: Int?) -> ServerStatistics.Pool {
        let key = status.key
        let statistics = status.statistics
        var pool = ServerStatistics.Pool(credential: key.credential, environment: key.destination.environment)
        pool.isParked = status.isParked
        pool.opening = UInt32(clamping: statistics.opening)
        pool.open = UInt32(clamping: statistics.connections - statistics.opening)
        pool.draining = UInt32(clamping: statistics.draining)
        pool.inFlight = UInt32(clamping: statistics.inFlight)
        pool.streams = UInt32(clamping: statistics.maximumStreams)
        pool.throttle = throttle.map { UInt32(clamping: $0) }
        pool.attempts = status.totals.attempts
        pool.answers = status.totals.answers
        pool.isUnreachable = statistics.isUnreachable
        pool.failures = status.totals.failures
        pool.lastFailure = status.totals.lastFailure
        pool.outage = status.totals.outage
        return pool
    }

    /// Returns the sizes of the database; nil if the registry has failed: it reports that itself, and just then the
    /// other statistics are needed.
    private func database() -> ServerStatistics.Database? {
        // Why try?: a registry that has failed reports it itself.
        guard let storage = try? services.registry.statistics(),
            let outboxStatistics = try? services.registry.outboxStatistics()
        else { return nil }
        var database = ServerStatistics.Database()
        database.bytes = UInt64(clamping: storage.bytes)
        database.freeBytes = UInt64(clamping: outboxStatistics.freeBytes)
        database.mapBytes = UInt64(clamping: storage.mapBytes)
        database.limitBytes = UInt64(clamping: services.databaseLimitBytes)
        database.readers = UInt32(clamping: storage.readers)
        database.readerAgeCommits = storage.readerAgeCommits
        database.messages = UInt64(clamping: outboxStatistics.messages)
        database.unfinished = UInt64(clamping: outboxStatistics.toSend)
        database.scheduled = UInt64(clamping: outboxStatistics.scheduled)
        return database
    }
}
