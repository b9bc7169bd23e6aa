import CarillonClock
import CarillonCluster
import CarillonClusterNode
import CarillonCore
import CarillonDelivery
import CarillonTransport
import CarillonVersion
import CoreMetrics
import NIOCore
import Synchronization

/// Sets the gauges when `/metrics` is requested, five times a second at most.
final class MetricsSampler: Sendable {
    /// The services of the server whose gauges are set, and the limit of the database.
    struct Services: Sendable {
        var registry: any StatisticsReads
        var delivery: DeliveryService
        var pools: PoolManager
        var limiter: ConnectionLimiter
        var memory: SharedMemoryBudget
        var registryCounter: RegistryCounter
        var cluster: ClusterService?
        var databaseLimitBytes: Int
    }

    /// How long an answer is cached, in milliseconds.
    private static let cacheMilliseconds: UInt64 = 200

    private let prometheus: Prometheus
    private let health: Health
    private let startedAt = Double(Clock.wallTime().milliseconds) / 1_000
    private let services = Mutex<Services?>(nil)
    private let cached = Mutex<(at: Uptime, text: String)?>(nil)
    private let poolLabels = Mutex<[PoolKey: Set<ConnectionLabel>]>([:])
    private let appSeries = Mutex(AppSeries())

    private struct AppSeries {
        var labels = AppLabels()
        /// The labels whose series were set before.
        var known: Set<String> = []
    }

    init(_ prometheus: Prometheus, health: Health) {
        self.prometheus = prometheus
        self.health = health
    }

    /// Samples the parts of the server from now on: it has started.
    func start(_ services: Services) { self.services.withLock { $0 = services } }

    /// Samples only the process from now on: the server ends.
    func stop() { services.withLock { $0 = nil } }

    /// Returns all metrics as Prometheus' text.
    func text(on loop: any EventLoop) -> EventLoopFuture<String> {
        let now = Clock.uptime()
        if let cached = cached.withLock({ $0 }), now.milliseconds(since: cached.at) < Self.cacheMilliseconds {
            return loop.makeSucceededFuture(cached.text)
        }
        let services = services.withLock { $0 }
        let pools = services?.pools.statuses(on: loop) ?? loop.makeSucceededFuture([])
        return pools.map { [self] pools in
            setProcess()
            if let services { setServices(services) }
            setPools(pools)
            let text = prometheus.text()
            cached.withLock { $0 = (now, text) }
            return text
        }
    }

    private func set(_ name: String, to value: some BinaryInteger, dimensions: [(String, String)] = []) {
        Gauge(label: name, dimensions: dimensions, factory: prometheus).record(Double(value))
    }

    private func setProcess() {
        set("carillon_build_info", to: 1, dimensions: [("version", Version.number), ("revision", Version.revision)])
        set("carillon_ready", to: health.reasonNotReady == nil ? 1 : 0)
        let process = ProcessStatistics.read()
        Gauge(label: "process_cpu_seconds_total", factory: prometheus).record(process.processorSeconds)
        Gauge(label: "process_start_time_seconds", factory: prometheus).record(startedAt)
        set("process_resident_memory_bytes", to: process.residentBytes)
        set("process_open_fds", to: process.openFiles)
        set("process_max_fds", to: process.maximumFiles)
    }

    private func setServices(_ services: Services) {
        let clients = services.limiter.counts
        set("carillon_client_connections", to: clients.connections)
        set("carillon_client_half_open_connections", to: clients.halfOpen)
        let memory = services.memory.usage
        set("carillon_client_memory_bytes", to: memory.bytes)
        set("carillon_client_memory_refusals_total", to: memory.refusals)
        let queue = services.registry.queueLoad
        set("carillon_queue_changes", to: queue.changes)
        set("carillon_queue_bytes", to: queue.bytes)
        let load = services.delivery.load
        set("carillon_messages_in_memory", to: load.messages)
        set("carillon_recipients_in_memory", to: load.recipients)
        set("carillon_pages_waiting", to: load.queuedPages)
        set("carillon_pages_suspended", to: load.suspended)
        set("carillon_deliveries_in_flight", to: load.inFlight)
        set("carillon_outcomes_unrecorded", to: load.unrecorded)
        set("carillon_database_limit_bytes", to: services.databaseLimitBytes)
        if let cluster = services.cluster, let node = cluster.status {
            setNode(node, claims: cluster.claimCounts(at: Clock.uptime()))
        }
        setLanes(services.delivery.overview(limit: 0).lanes)
        if let counts = services.registryCounter.latestCounts { setRegistryCounts(counts) }
        // Why try?: a failed registry reports itself, and just then the other metrics are needed.
        guard let database = try? services.registry.statistics() else { return }
        set("carillon_database_bytes", to: database.bytes)
        set("carillon_database_map_bytes", to: database.mapBytes)
        set("carillon_database_commits_total", to: database.commits)
        set("carillon_database_readers", to: database.readers)
        set("carillon_database_reader_age_commits", to: database.readerAgeCommits)
        // Why try?: a failed registry reports itself.
        guard let outbox = try? services.registry.outboxStatistics() else { return }
        set("carillon_messages_stored", to: outbox.messages)
        set("carillon_messages_sendable", to: outbox.toSend)
        set("carillon_messages_scheduled", to: outbox.scheduled)
        set("carillon_database_free_bytes", to: outbox.freeBytes)
    }

    private func setNode(_ node: NodeLoop.Status, claims: ClaimCounts?) {
        set("carillon_cluster_position", to: node.applied.number)
        set("carillon_cluster_lag_entries", to: node.lagEntries)
        let lease = Gauge(label: "carillon_cluster_lease_seconds", factory: prometheus)
        lease.record(Double(node.remainingMilliseconds) / 1_000)
        set("carillon_cluster_log_bytes_total", to: node.appliedBytes)
        let own = node.member.flatMap { claims?[$0.incarnation] } ?? ClaimCounts.Count()
        set("carillon_cluster_claimed_messages", to: own.messages)
        set("carillon_cluster_claimed_pages", to: own.pages)
        guard let view = node.view else { return }
        set("carillon_cluster_nodes", to: view.liveNodes.count)
        set("carillon_cluster_log_entries", to: view.ends.head.distance(from: view.ends.trimmed))
    }

    private func setLanes(_ lanes: [Lane: DeliveryEngine.Overview.LaneLoad]) {
        for lane in Lane.allCases {
            let load = lanes[lane, default: DeliveryEngine.Overview.LaneLoad()]
            let label = ("lane", "\(lane)")
            set("carillon_lane_messages", to: load.messages, dimensions: [label])
            for (state, count) in [
                ("waiting", load.waiting), ("delayed", load.delayed), ("in-flight", load.inFlight),
            ] {
                set("carillon_lane_recipients", to: count, dimensions: [label, ("state", state)])
            }
        }
    }

    private func setRegistryCounts(_ counts: ServerStatistics.RegistryCounts) {
        var rows: [String: ServerStatistics.AppCount] = [:]
        let gone = appSeries.withLock { series in
            for row in counts.apps {
                let label = series.labels.assignLabel(to: row.app.name)
                rows[label] = rows[label].map { $0.adding(row) } ?? row
            }
            // A count leaves out an app that has nothing left. Without the zeros its series would keep their last
            // values.
            defer { series.known.formUnion(rows.keys) }
            return series.known.subtracting(rows.keys)
        }
        for (label, row) in rows { setApp(row, label: label) }
        for label in gone { setApp(nil, label: label) }
    }

    /// Sets the series of an app; to 0 if nothing of the app is counted.
    private func setApp(_ counts: ServerStatistics.AppCount?, label: String) {
        set("carillon_devices", to: counts?.devices ?? 0, dimensions: [("app", label), ("state", "active")])
        set("carillon_devices", to: counts?.quarantined ?? 0, dimensions: [("app", label), ("state", "quarantined")])
        for provider in Provider.allCases {
            set(
                "carillon_devices_by_provider", to: counts?.devicesByProvider?[provider] ?? 0,
                dimensions: [("app", label), ("provider", provider.name)])
        }
        set("carillon_groups", to: counts?.groups ?? 0, dimensions: [("app", label)])
        set("carillon_topics", to: counts?.topics ?? 0, dimensions: [("app", label)])
    }

    private func setPools(_ pools: [PoolManager.Status]) {
        let now = Clock.now()
        for (key, statistics) in withEndedConnections(pools) { setPool(statistics, of: key) }
        for status in pools {
            setCredential(of: status, at: now)
            setAvailability(of: status, at: now.wall)
        }
    }

    /// Returns the statistics by pool, with zeros for pools and connections that have ended: a series that is not set
    /// would keep its last value.
    private func withEndedConnections(_ pools: [PoolManager.Status]) -> [PoolKey: PushPool.Statistics] {
        var byPool = Dictionary(pools.map { ($0.key, $0.statistics) }) { first, _ in first }
        poolLabels.withLock { known in
            for (key, labels) in known {
                let ended = labels.subtracting(byPool[key, default: .empty].byLabel.keys)
                for label in ended { byPool[key, default: .empty].byLabel[label] = .empty }
            }
            for (key, statistics) in byPool { known[key, default: []].formUnion(statistics.byLabel.keys) }
        }
        return byPool
    }

    /// Sets the age or the remaining life of a pool's token, and its quota.
    private func setCredential(of status: PoolManager.Status, at now: Moment) {
        let labels = status.key.labels
        if let age = status.tokens?.ageMilliseconds(at: now) {
            Gauge(label: "carillon_apns_provider_token_age_seconds", dimensions: labels, factory: prometheus)
                .record(Double(age) / 1_000)
        }
        if let remaining = status.accessTokens?.remainingMilliseconds(at: now.uptime) {
            Gauge(label: "carillon_fcm_access_token_remaining_seconds", dimensions: labels, factory: prometheus)
                .record(Double(remaining) / 1_000)
        }
        if let quota = status.quota {
            set("carillon_fcm_quota_messages_per_minute", to: quota.currentMessagesPerMinute, dimensions: labels)
        }
    }

    /// Sets what keeps a pool from sending.
    private func setAvailability(of status: PoolManager.Status, at now: Timestamp) {
        let prefix = status.key.metricPrefix
        let labels = status.key.labels
        set(prefix + "pool_parked", to: status.isParked ? 1 : 0, dimensions: labels)
        set(prefix + "parked_apps", to: status.parkedApps, dimensions: labels)
        let outage = status.totals.outage.map { now.milliseconds(since: $0.since) } ?? 0
        Gauge(label: prefix + "pool_outage_seconds", dimensions: labels, factory: prometheus)
            .record(Double(outage) / 1_000)
    }

    private func setPool(_ statistics: PushPool.Statistics, of key: PoolKey) {
        let prefix = key.metricPrefix
        let labels = key.labels
        set(prefix + "in_flight", to: statistics.inFlight, dimensions: labels)
        set(prefix + "pool_unreachable", to: statistics.isUnreachable ? 1 : 0, dimensions: labels)
        let states = [
            ("opening", statistics.opening), ("open", statistics.connections - statistics.opening),
            ("draining", statistics.draining),
        ]
        for (state, count) in states {
            set(prefix + "connections", to: count, dimensions: labels + [("state", state)])
        }
        for (label, connection) in statistics.byLabel {
            let dimensions = labels + [("connection", label.description)]
            set(prefix + "connection_in_flight", to: connection.inFlight, dimensions: dimensions)
            set(prefix + "connection_streams", to: connection.maximumStreams, dimensions: dimensions)
            set(prefix + "connection_answers_total", to: connection.answers, dimensions: dimensions)
            set(
                prefix + "connection_limit_pushes_per_second", to: connection.maximumPushesPerSecond ?? -1,
                dimensions: dimensions)
            set(prefix + "connection_window_bytes", to: connection.windowBytes, dimensions: dimensions)
            Gauge(label: prefix + "connection_round_trip_seconds", dimensions: dimensions, factory: prometheus)
                .record(Double(connection.roundTripMicroseconds ?? 0) / 1_000_000)
        }
    }
}

extension ServerStatistics.AppCount {
    fileprivate func adding(_ other: Self) -> Self {
        var sum = self
        sum.devices += other.devices
        sum.quarantined += other.quarantined
        sum.groups += other.groups
        sum.topics += other.topics
        sum.devicesByProvider = devicesByProvider?.merging(other.devicesByProvider ?? [:], uniquingKeysWith: +)
        return sum
    }
}
