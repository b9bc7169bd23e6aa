import CarillonAPNs
import CarillonClock
import CarillonCore
import CarillonDelivery
import CarillonFCM
import CarillonProvider
import CarillonRegistry
import CarillonTransport
import CarillonVersion
import CarillonWebPush
import CoreMetrics
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The whole server: registry, delivery, pools and listeners. It starts and stops them in the order that keeps the
/// guarantees.
///
/// It starts from the inside out. The metrics port is opened first, because `/readyz` answers during the start too.
/// Then the registry is opened, which applies what the write-ahead log has. Delivery and its pools follow, because a
/// message that is accepted must find them. The ports of clients are opened last, so that no request comes before it
/// can be answered.
///
/// It stops from the outside in. The HTTP ports are closed and clients are drained first: no new connections, and
/// requests that have come are answered. Then delivery stops handing out pushes, and the pools close when the providers
/// have answered. Then a node leaves its cluster. The registry is closed after that, so that it gets all outcomes. The
/// metrics port is closed last. If the disk fails, the server skips all this: what it has answered is on disk, and it
/// answers no more.
package struct CarillonServer: Service, CustomStringConvertible {
    /// Name and version, as in the answer to HELLO.
    package static let software = "carillond/\(Version.number)"

    /// The name without settings: the service group logs it.
    package var description: String { "CarillonServer" }

    private enum StopReason: Sendable {
        case shutdown
        case failed(RegistryError)
        case nodeEnded(ClusterService.End)

        /// The error that `run` throws; nil if the server stops because it was asked to.
        var error: (any Error)? {
            switch self {
            case .failed(let error): error
            case .nodeEnded(.mustStartAgain): StartAgainError()
            case .nodeEnded(.stopped(let sentence)): NodeStoppedError(description: sentence)
            case .nodeEnded(.left), .shutdown: nil
            }
        }
    }

    /// The server has stopped in order, and must be started again in this process: then another database replaces that
    /// of its registry.
    package struct StartAgainError: Error {}

    /// The node of a cluster has stopped for good.
    package struct NodeStoppedError: Error, CustomStringConvertible {
        /// The reason, a sentence.
        package let description: String
    }

    private let deployment: Deployment
    private let readSettings: @Sendable () async throws -> Settings
    private let prometheus: Prometheus
    private let logger: Logger
    private let auditLogger: Logger

    private var settings: Settings { deployment.settings }

    /// Checks settings and files; opens nothing.
    ///
    /// - Parameters:
    ///   - readSettings: reads the settings again, on SIGHUP.
    ///   - prometheus: collects the metrics.
    ///   - auditLogger: gets the audit lines, with level info.
    package init(
        settings: Settings, readSettings: @escaping @Sendable () async throws -> Settings, prometheus: Prometheus,
        logger: Logger, auditLogger: Logger
    ) throws(SettingsError) {
        deployment = try Deployment(settings)
        self.readSettings = readSettings
        self.prometheus = prometheus
        self.logger = logger
        self.auditLogger = auditLogger
    }

    /// Runs until the service group shuts down gracefully, the disk fails, or the node of a cluster has ended.
    package func run() async throws {
        let (reasons, continuation) = AsyncStream.makeStream(of: StopReason.self, bufferingPolicy: .bufferingNewest(1))
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let health = Health()
        let sampler = MetricsSampler(prometheus, health: health)
        let port = try await openMetricsPort(health: health, sampler: sampler)
        let cluster = makeCluster { continuation.yield(.nodeEnded($0)) }
        if let cluster { health.setReasonNotReady { cluster.reasonNotReady } }
        let services = try await start(
            sampler: sampler, cluster: cluster, onFailure: { continuation.yield(.failed($0)) })
        let notifier = SystemdNotifier()
        announceReady(services, health: health, notifier: notifier)
        let upkeep = startUpkeep(of: services, hangups: hangups, notifier: notifier)

        let reason = await withGracefulShutdownHandler {
            await reasons.first { _ in true } ?? .shutdown
        } onGracefulShutdown: {
            continuation.yield(.shutdown)
        }
        upkeep.reloads.cancel()
        report(reason)
        if case .failed(let error) = reason {
            // Fail-stop: the server answers no more requests, and every answered change is on disk.
            health.phaseEntered(.failed)
            throw error
        }
        health.phaseEntered(.draining)
        // systemd ends a service that has said `STOPPING=1`. So the server does not say it if it starts again in this
        // process.
        if !(reason.error is StartAgainError) { notifier?.notify(.stopping) }
        await upkeep.end()
        try await stop(services)
        await port?.close()
        logger.info("stopped")
        if let error = reason.error { throw error }
    }

    private func makeCluster(onEnd: @escaping @Sendable (ClusterService.End) -> Void) -> ClusterService? {
        settings.cluster.url.isEmpty
            ? nil
            : ClusterService(
                settings.cluster, metrics: ClusterMetrics(factory: prometheus), logger: logger, onEnd: onEnd)
    }

    // MARK: Serving

    /// The tasks that run for as long as the server does.
    private struct Upkeep {
        let tasks: [RepeatedTask]
        /// The task that reads the settings again at each SIGHUP.
        let reloads: Task<Void, Never>

        func end() async {
            // A reload that is still running would open pools after they are closed.
            await reloads.value
            for task in tasks { task.cancel() }
        }
    }

    private func announceReady(_ services: StartedServices, health: Health, notifier: SystemdNotifier?) {
        health.phaseEntered(.ready)
        health.setWarnings { [delivery = services.delivery] in delivery.outages.map(\.warning) }
        notifier?.notify(.ready)
    }

    private func startUpkeep(
        of services: StartedServices, hangups: UnixSignalsSequence, notifier: SystemdNotifier?
    ) -> Upkeep {
        let loops = services.threads.interactive
        let trimmer = HeapTrimmer(services.clients.memory)
        let tasks = [
            startUpkeepTimer(
                of: services.registry, cluster: services.cluster, trimmer: trimmer, threads: services.threads.upkeep,
                on: loops.next()),
            services.reloader.watchExpiry(on: loops.next()),
            notifier?.watch(Array(loops.makeIterator())),
        ]
        let reloads = Task { [reloader = services.reloader] in
            for await _ in hangups {
                notifier?.notify(.reloading)
                await reloader.reload()
                notifier?.notify(.ready)
            }
        }
        return Upkeep(tasks: tasks.compactMap { $0 }, reloads: reloads)
    }

    private func report(_ reason: StopReason) {
        switch reason {
        case .failed(let error):
            return logger.critical("the registry has failed; the server stops", metadata: ["error": "\(error)"])
        case .nodeEnded(.stopped(let sentence)):
            logger.critical("the node of the cluster stops", metadata: ["reason": "\(sentence)"])
        case .nodeEnded(.left), .nodeEnded(.mustStartAgain), .shutdown: break
        }
        logger.info("stopping: no new connections, outstanding requests are finished")
    }

    // MARK: Start and stop

    /// The services that run between `start` and `stop`, with the threads that they use.
    private struct StartedServices {
        var threads: ServerThreads
        var sampler: MetricsSampler
        var registry: LMDBRegistry
        var cluster: ClusterService?
        var delivery: DeliveryService
        var pools: PoolManager
        var channels: ChannelRouter
        var clients: ClientService
        var http: HTTPServer?
        var reloader: ConfigurationReloader
    }

    /// Opens the registry, starts delivery, and listens.
    private func start(
        sampler: MetricsSampler, cluster: ClusterService?, onFailure: @escaping @Sendable (RegistryError) -> Void
    ) async throws -> StartedServices {
        let threads = ServerThreads(
            clientThreads: settings.clientThreads, bulkNiceness: settings.bulkNiceness, logger: logger)
        let loops = threads.interactive
        let events = EventHub()
        let batches = BatchMetrics(factory: prometheus)
        let notifier = CompletionNotifier()
        let options = registryOptions(batches: batches, notifier: notifier, cluster: cluster)
        let registry = try openRegistry(options, events: events, onFailure: onFailure)

        let (delivery, pools, channels) = try startDelivery(from: registry, on: threads, cluster: cluster)
        let clients = ClientService(
            deployment,
            backend: RequestRunner.Backend(
                registry: registry, delivery: delivery, channels: channels, threads: threads, notifier: notifier,
                node: cluster),
            events: events,
            announcedRegistry: ClientService.AnnouncedRegistry(
                epoch: registry.epoch, idempotencyMilliseconds: registrySettings.retention.idempotencyMilliseconds),
            statisticsServices: StatisticsSource.Services(
                registry: registry, delivery: delivery, pools: pools, batches: batches, loop: loops.next(),
                upkeep: threads.upkeep, databaseLimitBytes: options.maximumMapBytes, cluster: cluster),
            reporting: ClientService.Reporting(factory: prometheus, logger: logger, auditLogger: auditLogger))
        sampler.start(
            MetricsSampler.Services(
                registry: registry, delivery: delivery, pools: pools, limiter: clients.limiter,
                memory: clients.memory, registryCounter: clients.runner.statistics.registryCounter, cluster: cluster,
                databaseLimitBytes: options.maximumMapBytes))
        let http = try await openListeners(of: clients)
        return StartedServices(
            threads: threads, sampler: sampler, registry: registry, cluster: cluster, delivery: delivery, pools: pools,
            channels: channels, clients: clients, http: http,
            reloader: makeReloader(channels: channels, pools: pools, clients: clients, http: http))
    }

    private func openRegistry(
        _ options: LMDBRegistry.Options, events: EventHub, onFailure: @escaping @Sendable (RegistryError) -> Void
    ) throws -> LMDBRegistry {
        let registry = try LMDBRegistry(
            path: settings.data.path, options: options, onEvents: { events.eventsPublished(upTo: $0) },
            onFailure: onFailure)
        events.eventsPublished(upTo: try registry.newestEventSequence())
        logger.info("registry is open", metadata: ["path": "\(settings.data.path)", "epoch": "\(registry.epoch)"])
        return registry
    }

    /// The backoffs that each provider asks for.
    private static let backoffs: [Provider: ProviderBackoffs] = [
        .apns: APNsAdapter.backoffs, .fcm: FCMAdapter.backoffs, .web: WebPushAdapter.backoffs,
    ]

    /// Starts the delivery engine with its pools, and the node of a cluster, which gives the engine its messages.
    private func startDelivery(
        from registry: LMDBRegistry, on threads: ServerThreads, cluster: ClusterService?
    ) throws -> (delivery: DeliveryService, pools: PoolManager, channels: ChannelRouter) {
        let loops = threads.interactive
        let delivery = DeliveryService(
            registry: registry, routes: deployment.apps.routes,
            on: DeliveryService.Dependencies(
                readThreads: threads.deliveryReads, loop: loops.next(), logger: logger, factory: prometheus),
            node: cluster, policy: RetryPolicy(providers: Self.backoffs))
        let pools = PoolManager(
            epoch: registry.epoch, threads: threads, delivery: delivery, factory: prometheus, logger: logger)
        _ = try pools.apply(deployment)
        let channels = ChannelRouter(epoch: registry.epoch, threads: threads, factory: prometheus, logger: logger)
        try channels.apply(deployment)
        delivery.start()
        try cluster?.open(registry, delivery: delivery, on: loops.next())
        return (delivery, pools, channels)
    }

    /// Opens the HTTP ports, and then the port of the protocol. So a program that waits for the last one finds all of
    /// them open.
    private func openListeners(of clients: ClientService) async throws -> HTTPServer? {
        let http = HTTPServer(deployment, clients: clients, logger: logger)
        try await http?.open()
        try await clients.open()
        return http
    }

    private func makeReloader(
        channels: ChannelRouter, pools: PoolManager, clients: ClientService, http: HTTPServer?
    ) -> ConfigurationReloader {
        ConfigurationReloader(
            deployment, readSettings: readSettings,
            apply: { deployment in
                // The steps that can fail come first. If the pools fail, channel management has the new deployment
                // already: that does no harm, because nothing else depends on it.
                try channels.apply(deployment)
                let plan = try pools.apply(deployment)
                clients.apply(deployment)
                http?.apply(deployment)
                return plan
            }, metrics: ConfigurationMetrics(factory: prometheus), logger: logger)
    }

    /// Stops in the order that keeps the guarantees: HTTP, clients, deliveries, pools, channel management, the samples
    /// of the metrics, the node of a cluster, registry, threads.
    private func stop(_ services: StartedServices) async throws {
        await services.http?.close()
        await services.clients.drain()
        services.delivery.stop()
        await services.pools.close()
        await services.channels.close()
        services.sampler.stop()
        await services.cluster?.leave(waitingOn: services.threads.upkeep)
        services.registry.close()
        try await services.threads.shutDown()
    }

    private func registryOptions(
        batches: BatchMetrics, notifier: CompletionNotifier, cluster: ClusterService?
    ) -> LMDBRegistry.Options {
        var options = LMDBRegistry.Options()
        options.maximumMapBytes = settings.data.limitMebibytes << 20
        // A map that never grows: growing it waits for every read.
        options.mapBytes = options.maximumMapBytes
        options.onBatch = { batches.batchWritten($0, nanoseconds: $1) }
        options.onUnreadable = { [logger] what in
            logger.critical("a record cannot be read and is skipped", metadata: ["error": "\(what)"])
        }
        options.onWALNotice = { [logger] notice in
            let text: Logger.MetadataValue = "\(notice)"
            if notice == .replaced {
                logger.error("the write-ahead log was not in its place", metadata: ["error": text])
            } else {
                logger.info("the write-ahead log was read", metadata: ["result": text])
            }
        }
        options.whileAnswering = { notifier.collect(during: $0) }
        options.settings = registrySettings
        if let cluster {
            options.exchange = cluster.exchange
            options.onApplied = { cluster.entryApplied($0) }
        }
        return options
    }

    /// The settings of the registry, made from the server's settings.
    private var registrySettings: RegistrySettings {
        var result = RegistrySettings()
        result.retention.idempotencyMilliseconds = UInt64(settings.retention.idempotencyHours) * Milliseconds.perHour
        result.retention.tombstoneMilliseconds = UInt64(settings.retention.tombstoneDays) * Milliseconds.perDay
        result.retention.messageMilliseconds = UInt64(settings.retention.messageDays) * Milliseconds.perDay
        result.retention.quarantineMilliseconds = UInt64(settings.retention.quarantineDays) * Milliseconds.perDay
        result.retention.eventMilliseconds = UInt64(settings.retention.eventDays) * Milliseconds.perDay
        result.maximumEvents = settings.retention.maximumEvents
        result.silentBudget.pushes = settings.silentPushesPerHour
        return result
    }

    /// Opens the port of metrics and health; returns nil if the settings want none.
    private func openMetricsPort(health: Health, sampler: MetricsSampler) async throws(SettingsError) -> MetricsPort? {
        guard !settings.metrics.host.isEmpty else { return nil }
        let port = MetricsPort(health: health, metricsText: { sampler.text(on: $0) })
        let number = try await port.bind(host: settings.metrics.host, port: settings.metrics.port)
        logger.info(
            "metrics and health are served", metadata: ["host": "\(settings.metrics.host)", "port": "\(number)"])
        if !settings.metrics.portFile.isEmpty {
            try PortFile.write(number, to: settings.metrics.portFile, setting: .metricsPortFile)
        }
        return port
    }

    // MARK: Upkeep

    /// The time between two rounds of upkeep.
    private static let upkeepInterval = TimeAmount.seconds(5)

    /// Starts the timer of the upkeep. Each round gives free memory back to the system, and sweeps the registry: it
    /// removes the rows that are past their retention, a bounded number at a time.
    ///
    /// In a cluster only the member that joined first sweeps, by its own settings. If the registry has other settings,
    /// it submits the change `configure` before it sweeps.
    private func startUpkeepTimer(
        of registry: LMDBRegistry, cluster: ClusterService?, trimmer: HeapTrimmer, threads: NIOThreadPool,
        on loop: any EventLoop
    ) -> RepeatedTask {
        loop.scheduleRepeatedAsyncTask(initialDelay: Self.upkeepInterval, delay: Self.upkeepInterval) { _ in
            threads.runIfActive(eventLoop: loop) {
                trimmer.run()
                if cluster?.runsSharedTasks ?? true { sweep(registry, isInCluster: cluster != nil) }
            }
        }
    }

    private func sweep(_ registry: LMDBRegistry, isInCluster: Bool) {
        let wanted = registrySettings
        do throws(RegistryError) {
            if isInCluster, try registry.settings() != wanted {
                registry.submit(.configure(wanted), deadline: nil) { _ in }
            }
            while try registry.sweep(now: Clock.wallTime()) == .incomplete {}
        } catch {
            logger.error("the registry cannot be swept", metadata: ["error": "\(error)"])
        }
    }
}
