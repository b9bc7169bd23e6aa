import CarillonClock
import CarillonCore
import CarillonDelivery
import CarillonTransport
import CarillonVersion
import CoreMetrics
import NIOCore
import Synchronization

/// Sets the gauges when `/metrics` is requested, at most a few times a second.
final class MetricsSampler: Sendable {
    /// The parts of the server that are sampled.
    struct Subjects: Sendable {
        var registry: any StatisticsReads
        var delivery: DeliveryService
        var pools: PoolManager
        var limiter: ConnectionLimiter
        var memory: SharedMemoryBudget
        var counts: RegistryCounter
        var limitBytes: Int
    }

    /// The time for which an answer is cached, in milliseconds.
    private static let cacheMilliseconds: UInt64 = 200

    private let prometheus: Prometheus
    private let health: Health
    private let startedAt = Double(Clock.wallTime().milliseconds) / 1_000
    private let subjects = Mutex<Subjects?>(nil)
    private let cached = Mutex<(at: Uptime, text: String)?>(nil)
    private let poolLabels = Mutex<[PoolLabel: Set<ConnectionLabel>]>([:])
    private let appSeries = Mutex(AppSeries())

    /// The series of apps.
    private struct AppSeries {
        var labels = AppLabels()
        /// The labels whose series were set before.
        var known: Set<String> = []
    }

    private struct PoolLabel: Hashable {
        var credential: String
        var environment: String

        var dimensions: [(String, String)] { [("credential", credential), ("environment", environment)] }
    }

    init(_ prometheus: Prometheus, health: Health) {
        self.prometheus = prometheus
        self.health = health
    }

    /// The server has started: samples its parts from now on.
    func start(_ subjects: Subjects) { self.subjects.withLock { $0 = subjects } }

    /// The server ends: samples only the process from now on.
    func stop() { subjects.withLock { $0 = nil } }

    /// All metrics as Prometheus' text.
    func text(on loop: any EventLoop) -> EventLoopFuture<String> {
        let now = Clock.uptime()
        if let cached = cached.withLock({ $0 }), now.milliseconds(since: cached.at) < Self.cacheMilliseconds {
            return loop.makeSucceededFuture(cached.text)
        }
        let subjects = subjects.withLock { $0 }
        let pools = subjects?.pools.snapshots(on: loop) ?? loop.makeSucceededFuture([])
        return pools.map { [self] pools in
            setProcess()
            if let subjects { set(subjects) }
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

    private func set(_ subjects: Subjects) {
        let clients = subjects.limiter.numbers
        set("carillon_client_connections", to: clients.connections)
        set("carillon_client_handshakes", to: clients.halfOpen)
        let memory = subjects.memory.load
        set("carillon_client_memory_bytes", to: memory.used)
        set("carillon_client_memory_refusals_total", to: memory.refusals)
        let queue = subjects.registry.queueLoad
        set("carillon_queue_changes", to: queue.changes)
        set("carillon_queue_bytes", to: queue.bytes)
        let load = subjects.delivery.load
        set("carillon_messages_in_memory", to: load.messages)
        set("carillon_recipients_in_memory", to: load.recipients)
        set("carillon_pages_in_line", to: load.queuedPages)
        set("carillon_pages_asleep", to: load.suspended)
        set("carillon_deliveries_in_flight", to: load.inFlight)
        set("carillon_outcomes_unrecorded", to: load.unrecorded)
        set("carillon_database_limit_bytes", to: subjects.limitBytes)
        setLanes(subjects.delivery.overview(limit: 0).lanes)
        if let counts = subjects.counts.known { set(counts) }
        // Why not thrown: a failed registry reports itself, and the other metrics are needed then.
        guard let database = try? subjects.registry.statistics() else { return }
        set("carillon_database_bytes", to: database.bytes)
        set("carillon_database_map_bytes", to: database.mapBytes)
        set("carillon_database_commits_total", to: database.commits)
        set("carillon_database_readers", to: database.readers)
        set("carillon_database_reader_age_commits", to: database.readerAge)
        // Why not thrown: as above.
        guard let outbox = try? subjects.registry.outboxStatistics() else { return }
        set("carillon_messages_stored", to: outbox.messages)
        set("carillon_messages_unfinished", to: outbox.unfinished)
        set("carillon_messages_scheduled", to: outbox.scheduled)
        set("carillon_database_free_bytes", to: outbox.freeBytes)
    }

    private func setLanes(_ lanes: [Lane: DeliveryEngine.Overview.Lane]) {
        for lane in Lane.allCases {
            let (load, label) = (lanes[lane, default: DeliveryEngine.Overview.Lane()], ("lane", "\(lane)"))
            set("carillon_lane_messages", to: load.messages, dimensions: [label])
            for (state, count) in [
                ("waiting", load.waiting), ("delayed", load.delayed), ("in-flight", load.inFlight),
            ] {
                set("carillon_lane_recipients", to: count, dimensions: [label, ("state", state)])
            }
        }
    }

    private func set(_ counts: ServerStatistics.RegistryCounts) {
        var rows: [String: ServerStatistics.AppCount] = [:]
        let gone = appSeries.withLock { series in
            for row in counts.apps {
                let label = series.labels.label(of: row.app.name)
                rows[label] = rows[label].map { $0.adding(row) } ?? row
            }
            // An app that has nothing more is not counted, and its series would keep its last value.
            defer { series.known.formUnion(rows.keys) }
            return series.known.subtracting(rows.keys)
        }
        for (label, row) in rows { set(row, ofApp: label) }
        for label in gone { set(nil, ofApp: label) }
    }

    /// Sets the series of an app; to 0 if nothing of it is counted.
    private func set(_ counts: ServerStatistics.AppCount?, ofApp label: String) {
        set("carillon_devices", to: counts?.devices ?? 0, dimensions: [("app", label), ("state", "active")])
        set("carillon_devices", to: counts?.quarantined ?? 0, dimensions: [("app", label), ("state", "quarantined")])
        set("carillon_groups", to: counts?.groups ?? 0, dimensions: [("app", label)])
        set("carillon_topics", to: counts?.topics ?? 0, dimensions: [("app", label)])
    }

    private func setPools(_ pools: [PoolManager.Status]) {
        let now = Clock.now()
        var snapshots = Dictionary(
            pools.map { (PoolLabel(credential: $0.key.credential, environment: $0.key.environment.name), $0.snapshot) }
        ) { first, _ in first }
        for status in pools {
            guard let age = status.tokens?.age(at: now) else { continue }
            let label = PoolLabel(credential: status.key.credential, environment: status.key.environment.name)
            Gauge(label: "carillon_apns_token_age_seconds", dimensions: label.dimensions, factory: prometheus)
                .record(Double(age) / 1_000)
        }
        // Pools and connections that have ended: a series that is not set would keep its last value.
        poolLabels.withLock { known in
            for (label, places) in known {
                let gone = places.subtracting(snapshots[label, default: .empty].byLabel.keys)
                for place in gone { snapshots[label, default: .empty].byLabel[place] = .empty }
            }
            for (label, snapshot) in snapshots { known[label, default: []].formUnion(snapshot.byLabel.keys) }
        }
        for (label, snapshot) in snapshots { set(snapshot, label) }
        for status in pools {
            let label = PoolLabel(credential: status.key.credential, environment: status.key.environment.name)
            set("carillon_apns_pool_stopped", to: status.isParked ? 1 : 0, dimensions: label.dimensions)
            set("carillon_apns_parked_apps", to: status.parkedApps, dimensions: label.dimensions)
        }
    }

    private func set(_ snapshot: APNsPool.Snapshot, _ label: PoolLabel) {
        set("carillon_apns_in_flight", to: snapshot.inFlight, dimensions: label.dimensions)
        set("carillon_apns_pool_unreachable", to: snapshot.isUnreachable ? 1 : 0, dimensions: label.dimensions)
        let states = [
            ("opening", snapshot.opening), ("open", snapshot.connections - snapshot.opening),
            ("draining", snapshot.draining),
        ]
        for (state, count) in states {
            set("carillon_apns_connections", to: count, dimensions: label.dimensions + [("state", state)])
        }
        for (place, connection) in snapshot.byLabel {
            let dimensions = label.dimensions + [("connection", place.description)]
            set("carillon_apns_connection_in_flight", to: connection.inFlight, dimensions: dimensions)
            set("carillon_apns_connection_streams", to: connection.streams, dimensions: dimensions)
            set("carillon_apns_connection_answers_total", to: connection.answers, dimensions: dimensions)
            set("carillon_apns_connection_rate", to: connection.rate ?? -1, dimensions: dimensions)
        }
    }
}

extension ServerStatistics.AppCount {
    /// The counts of two apps together.
    fileprivate func adding(_ other: Self) -> Self {
        var sum = self
        sum.devices += other.devices
        sum.quarantined += other.quarantined
        sum.groups += other.groups
        sum.topics += other.topics
        return sum
    }
}
