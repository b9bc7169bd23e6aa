import CarillonCore
import CarillonSession
import CarillonTransport
import CarillonWire
import CoreMetrics
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The listener of a deployment: opens it, changes it at a reload, and drains it.
final class ClientGateway: Sendable {
    /// Counts the connections.
    let limiter: ConnectionLimiter

    private let epoch: UUIDBytes
    private let clients: Authenticator
    private let authorities: Mutex<[UInt8]>
    private let runner: RequestRunner
    private let events: EventHub
    private let metrics: RequestMetrics
    private let idempotencyMilliseconds: UInt64
    private let settings: Settings
    private let listener: Listener
    private let logger: Logger

    init(
        _ deployment: Deployment, registry: any Registry, delivery: DeliveryService, readers: NIOThreadPool,
        group: any EventLoopGroup, events: EventHub, notifier: CompletionNotifier, idempotencyMilliseconds: UInt64,
        subjects: StatisticsSource.Subjects, factory: any MetricsFactory, logger: Logger
    ) {
        settings = deployment.settings
        self.idempotencyMilliseconds = idempotencyMilliseconds
        self.events = events
        self.logger = logger
        metrics = RequestMetrics(factory: factory)
        epoch = registry.epoch
        clients = Authenticator(deployment.principals)
        authorities = Mutex(deployment.clientAuthorities)
        limiter = ConnectionLimiter(Self.limits(deployment.settings.limits))
        runner = RequestRunner(
            registry: registry, delivery: delivery, served: ServedApps(deployment.pushTypes),
            limiter: RateLimiter(), metrics: metrics,
            statistics: StatisticsSource(subjects, requests: metrics, connections: limiter), readers: readers,
            notifier: notifier)
        listener = Listener(
            Self.configuration(
                deployment, epoch: epoch, idempotencyMilliseconds: idempotencyMilliseconds, clients: clients,
                runner: runner, events: events, limiter: limiter, metrics: metrics, logger: logger),
            group: group)
    }

    /// Listens where the settings say.
    func open() async throws {
        let listen = settings.listen
        if !listen.unixSocket.isEmpty {
            try await listener.bind(unixSocket: listen.unixSocket)
            logger.info("listening", metadata: ["socket": "\(listen.unixSocket)"])
        }
        if !listen.host.isEmpty {
            let port = try await listener.bind(host: listen.host, port: listen.port)
            logger.info(
                "listening",
                metadata: [
                    "host": "\(listen.host)", "port": "\(port)", "tls": "\(!listen.certificate.isEmpty)",
                ])
            if !listen.portFile.isEmpty { try PortFile.write(port, to: listen.portFile, setting: .listenPortFile) }
        }
    }

    /// New connections get the configuration of the deployment; limits and grants hold for all from now on.
    func change(to deployment: Deployment) {
        limiter.limit(to: Self.limits(deployment.settings.limits))
        runner.served.change(to: deployment.pushTypes)
        listener.change(
            to: Self.configuration(
                deployment, epoch: epoch, idempotencyMilliseconds: idempotencyMilliseconds, clients: clients,
                runner: runner, events: events, limiter: limiter, metrics: metrics, logger: logger))
        clients.change(to: deployment.principals)
        let authoritiesChanged = authorities.withLock { authorities in
            defer { authorities = deployment.clientAuthorities }
            return authorities != deployment.clientAuthorities
        }
        listener.notifySessions {
            SessionHandler.ClientsChanged(authoritiesChanged: authoritiesChanged, reconnectAfter: $0)
        }
    }

    /// Accepts no new connections and drains those that are there.
    func drain() async {
        await listener.drain(within: .seconds(Int64(settings.limits.drainSeconds)))
    }

    private static func limits(_ limits: Settings.Limits) -> ConnectionLimiter.Limits {
        ConnectionLimiter.Limits(
            connections: limits.connections, handshakes: limits.handshakes,
            handshakesPerAddress: limits.handshakesPerAddress)
    }

    private static func configuration(
        _ deployment: Deployment, epoch: UUIDBytes, idempotencyMilliseconds: UInt64,
        clients: Authenticator, runner: RequestRunner, events: EventHub, limiter: ConnectionLimiter,
        metrics: RequestMetrics, logger: Logger
    ) -> Listener.Configuration {
        var limits = SessionLimits()
        limits.keepaliveMilliseconds = UInt32(deployment.settings.limits.keepaliveSeconds) * 1_000
        limits.drainMilliseconds = UInt32(deployment.settings.limits.drainSeconds) * 1_000
        let welcome = Welcome(
            software: CarillonServer.software, epoch: epoch, clock: .zero, frameLimit: limits.frameBytes,
            inFlightLimit: limits.requestsInFlight, batchLimit: UInt32(WireLimits.batch),
            keepaliveMilliseconds: limits.keepaliveMilliseconds,
            pingIntervalMilliseconds: limits.pingIntervalMilliseconds,
            idempotencyWindowSeconds: UInt32(clamping: idempotencyMilliseconds / 1_000),
            isAuthenticated: false, opcodes: Opcode.served.map { Welcome.Layouts(opcode: $0) })
        let dependencies = SessionDependencies(
            limits: limits, welcome: welcome, clients: clients, runner: runner, events: events,
            limiter: limiter, metrics: metrics, logger: logger)
        return Listener.Configuration(dependencies: dependencies, tls: deployment.tls)
    }
}
