import CarillonCore
import CarillonHTTP
import CarillonSession
import CarillonWire
import CoreMetrics
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The server's side for clients: the listener, and the services that sessions share. They are changed at a reload, and
/// drained.
final class ClientService: Sendable {
    /// The counter and the limit of the connections.
    let limiter: ConnectionLimiter
    /// The memory that the connections hold.
    let memory: SharedMemoryBudget
    /// The counter of the devices, groups and topics of each app.
    var registryCounts: RegistryCounter { dependencies.runner.statistics.registryCounts }

    /// The services of all sessions, with the limits of the first deployment.
    private let dependencies: SessionDependencies
    private let settings: Settings
    private let listener: Listener
    private let logger: Logger

    /// The values that HELLO's answer takes from the registry.
    struct HelloValues: Sendable {
        var epoch: UUIDBytes
        var idempotencyMilliseconds: UInt64
    }

    /// The metrics and the logs to which the service and its sessions report.
    struct Reporting: Sendable {
        var factory: any MetricsFactory
        var logger: Logger
        var auditLogger: Logger
    }

    init(
        _ deployment: Deployment, backend: RequestRunner.Backend, events: EventHub, registry: HelloValues,
        counted: StatisticsSource.CountedServices, reporting: Reporting
    ) {
        settings = deployment.settings
        logger = reporting.logger
        limiter = ConnectionLimiter(Self.limits(deployment.settings.limits))
        memory = SharedMemoryBudget(limit: deployment.settings.limits.memoryMebibytes << 20)
        let metrics = RequestMetrics(factory: reporting.factory)
        let auditScope = AuditLog.Scope(rawValue: deployment.settings.logAudit) ?? .wide
        let runner = RequestRunner(
            backend, served: ServedApps(deployment.servedApps, rules: deployment.settings.webPush.rules),
            metrics: metrics,
            statistics: StatisticsSource(counted, requests: metrics, connections: limiter),
            acknowledgements: EventAcknowledgements(backend.registry, loop: backend.threads.interactive.next()),
            audit: AuditLog(auditScope, logger: reporting.auditLogger))
        Self.prepareMetrics(of: deployment, runner)
        let limits = SessionLimits(deployment.settings.limits)
        let helloAnswer = Self.helloAnswer(limits, registry)
        dependencies = SessionDependencies(
            limits: limits, helloAnswer: helloAnswer,
            authenticator: Authenticator(deployment.principals, authorities: deployment.clientAuthorities),
            authorities: deployment.clientAuthorities, runner: runner, events: events, limiter: limiter, memory: memory,
            metrics: metrics, logger: logger)
        listener = Listener(
            Listener.Configuration(dependencies: dependencies, tls: deployment.tls), group: backend.threads.interactive)
    }

    /// Opens the listener at the addresses that the settings name.
    func open() async throws {
        let listen = settings.listen
        if !listen.unixSocket.isEmpty {
            try await listener.bind(unixSocket: listen.unixSocket, mode: listen.unixSocketPermissions ?? 0o600)
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

    /// Makes a session with a client in this process, and returns the client's end of the connection.
    func openSession(for address: String) throws -> CInt { try listener.openSession(for: address) }

    /// Gives a sample for the console to `done`, on any thread; nil while the server ends.
    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void) {
        dependencies.runner.statistics.sample(on: dependencies.runner.longReadThreads, for: "console", done)
    }

    /// Gives the content of a message to `done`, on any thread; nil if the app has no such message, or it cannot be
    /// read.
    func content(of message: MessageID, app: AppID, _ done: @escaping @Sendable (MessageContent?) -> Void) {
        let registry = dependencies.runner.registry
        dependencies.runner.longReadThreads.submit(for: "console") { isActive in
            // Why try?: a failed registry reports itself, and the page says that there is no content.
            done(isActive ? (try? registry.content(of: message, app: app)) : nil)
        }
    }

    /// The position of this server in the log of its cluster; nil if the server belongs to no cluster, or has not
    /// joined yet.
    var position: ClusterPosition? {
        guard let node = dependencies.runner.delivery.node, let cluster = node.helloNode?.cluster else { return nil }
        return ClusterPosition(cluster: cluster, number: node.position)
    }

    /// Calls `done`, on any thread: with true when that entry of the log is applied, or with false if a bounded time is
    /// over first or there is no cluster.
    func awaitPosition(_ number: UInt64, _ done: @escaping @Sendable (Bool) -> Void) {
        guard let node = dependencies.runner.delivery.node else { return done(false) }
        node.awaitPosition(number, done)
    }

    /// Takes over a deployment: new connections get its configuration; limits and grants hold for all from now on.
    func change(to deployment: Deployment) {
        // The authorities change first: a handshake that began under the old ones and ends from now on is refused.
        let haveAuthoritiesChanged = dependencies.authenticator.trust(deployment.clientAuthorities)
        limiter.limit(to: Self.limits(deployment.settings.limits))
        memory.limit(to: deployment.settings.limits.memoryMebibytes << 20)
        dependencies.runner.served.change(
            to: deployment.servedApps, rules: deployment.settings.webPush.rules)
        Self.prepareMetrics(of: deployment, dependencies.runner)
        var changed = dependencies
        changed.limits = SessionLimits(deployment.settings.limits)
        changed.helloAnswer.limits.keepaliveMilliseconds = changed.limits.keepaliveMilliseconds
        changed.authorities = deployment.clientAuthorities
        listener.change(to: Listener.Configuration(dependencies: changed, tls: deployment.tls))
        dependencies.authenticator.change(to: deployment.principals)
        listener.notifySessions {
            SessionHandler.ClientsChanged(
                haveAuthoritiesChanged: haveAuthoritiesChanged, reconnectAfterMilliseconds: $0)
        }
    }

    /// Accepts no new connections and drains the open ones.
    func drain() async {
        dependencies.runner.acknowledgements.writeAll()
        await listener.drain(within: .seconds(Int64(settings.limits.drainSeconds)))
    }

    private static func limits(_ limits: Settings.ClientLimits) -> ConnectionLimiter.ClientConnectionLimits {
        ConnectionLimiter.ClientConnectionLimits(
            connections: limits.connections, halfOpen: limits.halfOpenConnections,
            halfOpenPerAddress: limits.halfOpenConnectionsPerAddress)
    }

    private static func prepareMetrics(of deployment: Deployment, _ runner: RequestRunner) {
        let apps = deployment.servedApps.keys.sorted { $0.name < $1.name }
        runner.delivery.metrics.prepare(apps)
        runner.metrics.acceptances.prepare(apps)
    }

    /// Makes the answer to HELLO.
    private static func helloAnswer(_ limits: SessionLimits, _ registry: HelloValues) -> HelloAnswer {
        var announced = HelloAnswer.Limits(limits)
        announced.idempotencyWindowSeconds = UInt32(clamping: registry.idempotencyMilliseconds / 1_000)
        return HelloAnswer(
            software: CarillonServer.software, epoch: registry.epoch, clock: .zero, limits: announced,
            isAuthenticated: false, opcodes: Opcode.served.map { HelloAnswer.Layouts(opcode: $0) })
    }
}

extension SessionLimits {
    fileprivate init(_ settings: Settings.ClientLimits) {
        self.init()
        keepaliveMilliseconds = UInt32(settings.keepaliveSeconds) * 1_000
        drainMilliseconds = UInt32(settings.drainSeconds) * 1_000
    }
}
