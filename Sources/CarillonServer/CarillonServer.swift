import CarillonAPNs
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import CarillonSession
import CarillonTLS
import CarillonTransport
import CarillonWire
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

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

    private let settings: Settings
    private let apps: AppsFile
    private let keys: KeyRing
    private let logger: Logger

    /// Checks settings and files; opens nothing.
    package init(settings: Settings, logger: Logger) throws(SettingsError) {
        try settings.validate()
        self.settings = settings
        self.logger = logger
        apps = try AppsFile.load(path: settings.appsFile)
        keys = try KeyRing.load(path: settings.principalsFile)
        try Self.checkExposure(settings.listen)
    }

    /// Runs until the service group shuts down gracefully, or the disk fails.
    package func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingNewest(1))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads)
        let reader = NIOThreadPool(numberOfThreads: 1)
        reader.start()
        let events = EventHub()
        let readers = NIOThreadPool(numberOfThreads: 1)
        readers.start()
        let registry = try LMDBRegistry(
            path: settings.data.path, options: registryOptions, onEvents: { events.published($0) },
            onFailure: { end.yield(.failed($0)) })
        events.published(try registry.newestEvent())
        logger.info("registry is open", metadata: ["path": "\(settings.data.path)", "epoch": "\(registry.epoch)"])

        let delivery = DeliveryService(
            registry: registry, routes: apps.routes, reader: reader, loop: group.next(), logger: logger)
        let pools = try makePools(registry.epoch, group, delivery)
        delivery.start(pools: pools)
        let listener = try await listen(registry, delivery, group, readers, events)
        let sweeping = sweep(registry, group.next())

        let why = await withGracefulShutdownHandler {
            await ends.first { _ in true } ?? .shutdown
        } onGracefulShutdown: {
            end.yield(.shutdown)
        }

        if case .failed(let error) = why {
            // Fail-stop: nothing more is acknowledged; whatever was is on disk.
            logger.critical("the registry has failed; the server stops", metadata: ["error": "\(error)"])
            throw error
        }
        logger.info("stopping: no new connections, what is outstanding is finished")
        sweeping.cancel()
        await listener.drain(within: .seconds(Int64(settings.limits.drainSeconds)))
        delivery.stop()
        for pool in pools { try? await pool.close().get() }
        registry.close()
        try await reader.shutdownGracefully()
        try await readers.shutdownGracefully()
        try await group.shutdownGracefully()
        logger.info("stopped")
    }

    private var registryOptions: LMDBRegistry.Options {
        var options = LMDBRegistry.Options()
        options.maximumMapBytes = settings.data.limitMebibytes << 20
        options.mapBytes = min(options.mapBytes, options.maximumMapBytes)
        return options
    }

    // MARK: APNs

    private func makePools(
        _ epoch: UUIDBytes, _ group: any EventLoopGroup, _ delivery: DeliveryService
    ) throws -> [APNsPool] {
        var limits = PoolMachine.Limits()
        limits.connections = settings.apns.connections
        var connectionLimits = ConnectionMachine.Limits()
        connectionLimits.answer = UInt64(settings.apns.answerSeconds) * 1_000
        var tokens: [String: ProviderTokenSource] = [:]
        return try apps.routes.all.sorted { $0.description < $1.description }.map { key in
            let upstream = try upstream(key, epoch, &tokens)
            return APNsPool(
                upstream, group: group, source: delivery, limits: limits, connectionLimits: connectionLimits,
                logger: logger)
        }
    }

    private func upstream(
        _ key: PoolKey, _ epoch: UUIDBytes, _ tokens: inout [String: ProviderTokenSource]
    ) throws -> Upstream {
        guard let credential = apps.credentials[key.credential] else {
            throw SettingsError(settings.appsFile, "the credential \(key.credential) is not there")
        }
        let trust: TLSContext.Trust =
            settings.apns.authorities.isEmpty ? .system : .authorities(path: settings.apns.authorities)
        let identity = try credential.identity(beside: settings.appsFile)
        let tls = try TLSContext.client(
            trust: trust, applicationProtocols: ["h2"], requireApplicationProtocol: true, identity: identity)
        let authorization: Upstream.Authorization
        if identity != nil {
            authorization = .certificate
        } else {
            // One token for both environments and all connections of a (team, key).
            let source = try tokens[key.credential] ?? credential.tokenSource(beside: settings.appsFile)
            tokens[key.credential] = source
            authorization = .token(source)
        }
        return Upstream(
            key: key,
            host: key.environment == .production ? settings.apns.productionHost : settings.apns.sandboxHost,
            port: settings.apns.port, tls: tls, authorization: authorization,
            managementTopic: apps.managementTopic(for: key), epoch: epoch)
    }

    // MARK: The listening side

    private func listen(
        _ registry: any Registry, _ delivery: DeliveryService, _ group: any EventLoopGroup, _ readers: NIOThreadPool,
        _ events: EventHub
    ) async throws -> Listener {
        let listen = settings.listen
        var limits = SessionLimits()
        limits.keepaliveMilliseconds = UInt32(settings.limits.keepaliveSeconds) * 1_000
        limits.drainMilliseconds = UInt32(settings.limits.drainSeconds) * 1_000
        let retention = registryOptions.retention
        let welcome = Welcome(
            software: Self.software, epoch: registry.epoch, clock: .zero, frameLimit: limits.frameBytes,
            inFlightLimit: limits.requestsInFlight, batchLimit: UInt32(WireLimits.batch),
            keepaliveMilliseconds: limits.keepaliveMilliseconds,
            pingIntervalMilliseconds: limits.pingIntervalMilliseconds,
            idempotencyWindowSeconds: UInt32(clamping: retention.idempotencyMilliseconds / 1_000),
            isAuthenticated: false, opcodes: Opcode.served.map { Welcome.Layouts(opcode: $0) })
        let shared = SessionHandler.Shared(
            limits: limits, welcome: welcome, keys: keys,
            runner: RequestRunner(
                registry: registry, delivery: delivery, routes: apps.routes, limiter: RateLimiter(), readers: readers),
            events: events,
            limiter: ConnectionLimiter(
                ConnectionLimiter.Limits(
                    connections: settings.limits.connections, handshakes: settings.limits.handshakes,
                    handshakesPerAddress: settings.limits.handshakesPerAddress)),
            logger: logger)
        let listener = Listener(shared, tls: try tlsContext(listen), group: group)
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
            if !listen.portFile.isEmpty { try PortFile.write(port, to: listen.portFile) }
        }
        return listener
    }

    private func tlsContext(_ listen: Settings.Listen) throws -> TLSContext? {
        guard !listen.certificate.isEmpty else { return nil }
        return try TLSContext.server(
            identity: TLSIdentity.pemFiles(certificateChain: listen.certificate, key: listen.key),
            applicationProtocols: ["carillon/1"],
            clientCertificates: listen.clientAuthorities.isEmpty
                ? .none : .optional(authorities: listen.clientAuthorities))
    }

    /// Plaintext outside the machine only when somebody has said so (Protocol 1).
    private static func checkExposure(_ listen: Settings.Listen) throws(SettingsError) {
        guard !listen.host.isEmpty, listen.certificate.isEmpty, !listen.allowPlaintext else { return }
        let address = try? SocketAddress.makeAddressResolvingHost(listen.host, port: 0)
        let ip = address?.ipAddress ?? ""
        guard ip.hasPrefix("127.") || ip == "::1" else {
            throw SettingsError(
                "listen.host",
                "\(listen.host) is not a loopback address: set listen.certificate and listen.key, "
                    + "or listen.allowPlaintext if the network itself is safe")
        }
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
