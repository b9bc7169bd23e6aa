import CarillonCore
import CarillonSession
import CarillonWire
import CoreMetrics
import Glibc
import Logging
import NIOCore
import NIOPosix

/// The service for clients: owns the listener and what all sessions share, changes them at a reload, and drains the
/// sessions at the end.
final class ClientService: Sendable {
    /// The counter and the limit of the connections.
    let limiter: ConnectionLimiter
    let memory: SharedMemoryBudget
    var runner: RequestRunner { dependencies.runner }

    /// The services of all sessions, with the limits of the first deployment.
    private let dependencies: SessionDependencies
    private let settings: Settings
    private let listener: Listener
    private let logger: Logger

    /// The registry, as the answer to HELLO announces it.
    struct AnnouncedRegistry: Sendable {
        var epoch: UUIDBytes
        /// How long an idempotency key is kept.
        var idempotencyMilliseconds: UInt64
    }

    /// The metrics and the logs to which the service and its sessions report.
    struct Reporting: Sendable {
        var factory: any MetricsFactory
        var logger: Logger
        var auditLogger: Logger
    }

    init(
        _ deployment: Deployment, backend: RequestRunner.Backend, events: EventHub,
        announcedRegistry: AnnouncedRegistry, statisticsServices: StatisticsSource.Services, reporting: Reporting
    ) {
        settings = deployment.settings
        logger = reporting.logger
        limiter = ConnectionLimiter(Self.limits(deployment.settings.limits))
        memory = SharedMemoryBudget(limitBytes: deployment.settings.limits.clientMemoryMebibytes << 20)
        let metrics = RequestMetrics(factory: reporting.factory)
        let auditScope = AuditLog.Scope(rawValue: deployment.settings.logAudit) ?? .wide
        let runner = RequestRunner(
            backend, served: ServedApps(deployment.servedApps, rules: deployment.settings.webPush.rules),
            metrics: metrics, statistics: StatisticsSource(statisticsServices, requests: metrics, connections: limiter),
            acknowledgements: EventAcknowledgements(backend.registry, loop: backend.threads.interactive.next()),
            audit: AuditLog(auditScope, logger: reporting.auditLogger))
        Self.prepareMetrics(of: deployment, in: runner)
        let limits = SessionLimits(deployment.settings.limits)
        let helloAnswer = Self.helloAnswer(limits: limits, registry: announcedRegistry)
        dependencies = SessionDependencies(
            limits: limits, helloAnswer: helloAnswer,
            authenticator: Authenticator(deployment.principals, authoritiesHash: deployment.clientAuthoritiesHash),
            authoritiesHash: deployment.clientAuthoritiesHash, runner: runner, events: events, limiter: limiter,
            memory: memory, metrics: metrics, logger: logger)
        listener = Listener(
            Listener.Configuration(dependencies: dependencies, tls: deployment.tls),
            group: backend.threads.interactive)
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
                    "host": "\(listen.host)", "port": "\(port)", "tls": "\(!listen.certificateFile.isEmpty)",
                ])
            if !listen.portFile.isEmpty { try PortFile.write(port, to: listen.portFile, setting: .listenPortFile) }
        }
    }

    /// Makes a session with a client in this process. Returns the client's end of the connection, a file descriptor.
    func openSession(for clientAddress: String) throws -> CInt { try listener.openSession(for: clientAddress) }

    /// Takes over a deployment: new connections get its configuration; the limits of connections and of memory, and the
    /// grants, hold for all connections from now on.
    func apply(_ deployment: Deployment) {
        // The authorities change first: a handshake that began under the old ones and ends from now on is refused.
        let haveAuthoritiesChanged = dependencies.authenticator.replaceAuthorities(
            hash: deployment.clientAuthoritiesHash)
        limiter.setLimits(Self.limits(deployment.settings.limits))
        memory.setLimit(deployment.settings.limits.clientMemoryMebibytes << 20)
        dependencies.runner.served.replace(with: deployment.servedApps, rules: deployment.settings.webPush.rules)
        Self.prepareMetrics(of: deployment, in: dependencies.runner)
        var changed = dependencies
        changed.limits = SessionLimits(deployment.settings.limits)
        changed.helloAnswer.limits.keepaliveMilliseconds = changed.limits.keepaliveMilliseconds
        changed.authoritiesHash = deployment.clientAuthoritiesHash
        listener.apply(Listener.Configuration(dependencies: changed, tls: deployment.tls))
        dependencies.authenticator.apply(deployment.principals)
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

    private static func limits(_ limits: Settings.ClientLimits) -> ConnectionLimiter.Limits {
        ConnectionLimiter.Limits(
            connections: limits.connections, halfOpen: limits.halfOpenConnections,
            halfOpenPerAddress: limits.halfOpenConnectionsPerAddress)
    }

    private static func prepareMetrics(of deployment: Deployment, in runner: RequestRunner) {
        let apps = deployment.servedApps.keys.sorted { $0.name < $1.name }
        runner.delivery.outcomeMetrics.prepare(apps)
        runner.metrics.acceptances.prepare(apps)
    }

    private static func helloAnswer(limits: SessionLimits, registry: AnnouncedRegistry) -> HelloAnswer {
        var announced = HelloAnswer.AnnouncedLimits(limits)
        announced.idempotencyWindowSeconds = UInt32(clamping: registry.idempotencyMilliseconds / 1_000)
        return HelloAnswer(
            software: CarillonServer.software, epoch: registry.epoch, clock: .zero, limits: announced,
            isAuthenticated: false, opcodes: Opcode.served.map { HelloAnswer.AnnouncedLayouts(opcode: $0) })
    }
}

extension SessionLimits {
    fileprivate init(_ settings: Settings.ClientLimits) {
        self.init()
        keepaliveMilliseconds = UInt32(settings.keepaliveSeconds) * 1_000
        drainTimeoutMilliseconds = UInt32(settings.drainSeconds) * 1_000
    }
}

/// The file with the port that the server got, for the program that started it.
enum PortFile {
    /// Writes the port as one line. A reader sees the whole file or none.
    static func write(_ port: Int, to path: String, setting: Setting) throws(SettingsError) {
        let temporary = path + ".new"
        guard let file = fopen(temporary, "w") else { throw SettingsError(setting.name, fault: "cannot be written") }
        fputs("\(port)\n", file)
        fclose(file)
        guard rename(temporary, path) == 0 else { throw SettingsError(setting.name, fault: "cannot be written") }
    }
}
