import CarillonCore
import CarillonRegistry
import CarillonTransport
import CoreMetrics
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The whole server: registry, delivery, APNs, listening side; started and stopped in the order that keeps the promises.
package struct CarillonServer: Service, CustomStringConvertible {
    /// Name and version, as HELLO says it.
    package static let software = "carillond/1.0"

    /// The name, and nothing of the settings: the service group logs this.
    package var description: String { "CarillonServer" }

    private enum End: Sendable {
        case shutdown
        case failed(RegistryError)
    }

    private let deployment: Deployment
    private let reread: @Sendable () async throws -> Settings
    private let prometheus: Prometheus
    private let logger: Logger

    private var settings: Settings { deployment.settings }

    /// Checks settings and files; opens nothing.
    ///
    /// - Parameters:
    ///   - reread: reads the settings again, on SIGHUP.
    ///   - prometheus: where metrics gather.
    package init(
        settings: Settings, reread: @escaping @Sendable () async throws -> Settings, prometheus: Prometheus,
        logger: Logger
    ) throws(SettingsError) {
        deployment = try Deployment(settings)
        self.reread = reread
        self.prometheus = prometheus
        self.logger = logger
    }

    /// Runs until the service group shuts down gracefully, or the disk fails.
    package func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingNewest(1))
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let health = Health()
        let figures = MetricsSampler(prometheus, health: health)
        let port = try await openMetrics(health, figures)
        let loops = ServerLoops(threads: settings.threads, bulkNiceness: settings.bulkNiceness)
        let events = EventHub()
        let commits = CommitMetrics(factory: prometheus)
        let post = CompletionNotifier()
        let registryOptions = registryOptions(commits, post)
        let registry = try LMDBRegistry(
            path: settings.data.path, options: registryOptions, onEvents: { events.published($0) },
            onFailure: { end.yield(.failed($0)) })
        events.published(try registry.newestEvent())
        logger.info("registry is open", metadata: ["path": "\(settings.data.path)", "epoch": "\(registry.epoch)"])

        let delivery = DeliveryService(
            registry: registry, routes: deployment.apps.routes, reader: loops.pages, loop: loops.prompt.next(),
            logger: logger, factory: prometheus)
        let pools = PoolManager(
            epoch: registry.epoch, loops: loops, delivery: delivery, factory: prometheus, logger: logger)
        _ = try await pools.apply(deployment)
        delivery.start()
        let gateway = ClientGateway(
            deployment, registry: registry, delivery: delivery, readers: loops.listings, group: loops.prompt,
            events: events, notifier: post, idempotencyMilliseconds: registryOptions.retention.idempotencyMilliseconds,
            subjects: StatisticsSource.Subjects(
                registry: registry, delivery: delivery, pools: pools, commits: commits, loop: loops.prompt.next(),
                limitBytes: registryOptions.maximumMapBytes),
            factory: prometheus, logger: logger)
        figures.watch(
            MetricsSampler.Subjects(
                registry: registry, delivery: delivery, pools: pools, limiter: gateway.limiter,
                limitBytes: registryOptions.maximumMapBytes))
        try await gateway.open()
        health.entered(.ready)
        let sweeping = sweep(registry, loops.prompt.next())
        let reloading = Reloading(
            deployment, reread: reread, pools: pools, gateway: gateway, factory: prometheus, logger: logger)
        let watching = reloading.watchExpiry(on: loops.prompt.next())
        let listening = Task { for await _ in hangups { await reloading.reload() } }

        let why = await withGracefulShutdownHandler {
            await ends.first { _ in true } ?? .shutdown
        } onGracefulShutdown: {
            end.yield(.shutdown)
        }

        listening.cancel()
        if case .failed(let error) = why {
            health.entered(.failed)
            // Fail-stop: nothing more is acknowledged; whatever was is on disk.
            logger.critical("the registry has failed; the server stops", metadata: ["error": "\(error)"])
            throw error
        }
        logger.info("stopping: no new connections, what is outstanding is finished")
        health.entered(.draining)
        // A reload that is under way would open pools behind the back of the end.
        await listening.value
        sweeping.cancel()
        watching.cancel()
        await gateway.drain()
        delivery.stop()
        await pools.close()
        figures.forget()
        registry.close()
        try await loops.shutDown()
        await port?.close()
        logger.info("stopped")
    }

    private func registryOptions(_ commits: CommitMetrics, _ post: CompletionNotifier) -> LMDBRegistry.Options {
        var options = LMDBRegistry.Options()
        options.maximumMapBytes = settings.data.limitMebibytes << 20
        options.mapBytes = min(options.mapBytes, options.maximumMapBytes)
        options.onCommit = { commits.committed($0, nanoseconds: $1) }
        options.onUnreadable = { [logger] what in
            logger.critical("a record cannot be read and is passed over", metadata: ["error": "\(what)"])
        }
        options.whileAnswering = { post.collect(during: $0) }
        options.retention.idempotencyMilliseconds = UInt64(settings.retention.idempotencyHours) * 3_600_000
        options.retention.tombstoneMilliseconds = UInt64(settings.retention.tombstoneDays) * 86_400_000
        options.retention.messageMilliseconds = UInt64(settings.retention.messageDays) * 86_400_000
        options.retention.quarantineMilliseconds = UInt64(settings.retention.quarantineDays) * 86_400_000
        options.retention.eventMilliseconds = UInt64(settings.retention.eventDays) * 86_400_000
        options.eventLimit = settings.retention.events
        options.silentBudget.pushes = settings.silentPushesPerHour
        return options
    }

    private func openMetrics(_ health: Health, _ figures: MetricsSampler) async throws(SettingsError) -> MetricsPort? {
        guard !settings.metrics.host.isEmpty else { return nil }
        let port = MetricsPort(health: health, text: { figures.text(on: $0) })
        let number = try await port.bind(host: settings.metrics.host, port: settings.metrics.port)
        logger.info(
            "metrics and health are served", metadata: ["host": "\(settings.metrics.host)", "port": "\(number)"])
        if !settings.metrics.portFile.isEmpty {
            try PortFile.write(number, to: settings.metrics.portFile, setting: .metricsPortFile)
        }
        return port
    }

    // MARK: Retention

    /// Removes what is past its retention every few seconds, in pieces of a bounded number of rows a commit.
    private func sweep(_ registry: any Registry, _ loop: any EventLoop) -> RepeatedTask {
        let logger = logger
        let pool = NIOThreadPool.singleton
        return loop.scheduleRepeatedAsyncTask(initialDelay: .seconds(5), delay: .seconds(5)) { _ in
            pool.runIfActive(eventLoop: loop) {
                do throws(RegistryError) {
                    while try registry.sweep(now: Clock.now().wall) {}
                } catch {
                    logger.error("the registry cannot be swept", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
