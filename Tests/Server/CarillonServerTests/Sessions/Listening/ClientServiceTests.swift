import CarillonCore
import CarillonSession
import CarillonTLS
import CarillonTestKit
import CarillonWire
import CoreMetrics
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import CarillonServer

/// The effect of a reload on clients that are connected and on those that come, and the drain.
@Suite(.cleansUp) struct ClientServiceTests {
    private let files: DeploymentFiles
    private let service: ClientService

    init() throws {
        files = try DeploymentFiles()
        try Self.writePrincipals(["old": "old key"], to: files)
        service = Self.makeService(try Self.deployment(files))
    }

    private static func writePrincipals(_ keys: [String: String], to files: DeploymentFiles) throws {
        let principals = keys.sorted(by: <).map { name, key in
            #"{"name": "\#(name)", "keySHA256": ["\#(Hex.string(SHA256.hash(Array(key.utf8))))"], "grants": []}"#
        }
        try files.write("principals.json", #"{"principals": [\#(principals.joined(separator: ", "))]}"#)
    }

    private static func deployment(
        _ files: DeploymentFiles, _ change: (inout Settings) -> Void = { _ in }
    ) throws -> Deployment {
        var settings = try files.settings()
        settings.listen.host = ""
        settings.listen.unixSocket = files.path("carillon.sock")
        change(&settings)
        return try Deployment(settings)
    }

    private static func makeService(_ deployment: Deployment) -> ClientService {
        let factory = NOOPMetricsHandler.instance
        let logger = ScriptedConnection.logger
        let services = IdleServices()
        let threads = ScriptedConnection.threads
        return ClientService(
            deployment,
            backend: RequestRunner.Backend(
                registry: services.registry, delivery: services.delivery,
                channels: ChannelRouter(epoch: .zero, threads: threads, factory: factory, logger: logger),
                threads: threads, notifier: CompletionNotifier()),
            events: EventHub(),
            announcedRegistry: ClientService.AnnouncedRegistry(epoch: .zero, idempotencyMilliseconds: 86_400_000),
            statisticsServices: services.forStatistics,
            reporting: ClientService.Reporting(factory: factory, logger: logger, auditLogger: logger))
    }

    private func connect() throws -> SocketClient { SocketClient(try service.openSession(for: "test")) }

    /// Connects with a key; returns the answers in words.
    private func connect(key: String) throws -> (client: SocketClient, answers: [String]) {
        let client = try connect()
        client.greet(key: key)
        client.readPreface()
        return (client, [try client.next(), try client.next()])
    }

    // MARK: Reload

    @Test func `a principal that is removed is cut and a new one is served`() throws {
        let (client, answers) = try connect(key: "old key")
        #expect(answers == ["hello", "auth"])
        #expect(try connect(key: "new key").answers == ["hello", "auth AUTHENTICATION_FAILED"])
        try Self.writePrincipals(["new": "new key"], to: files)
        service.apply(try Self.deployment(files))
        #expect(try client.next() == "goaway")
        #expect(try client.next() == "closed")
        #expect(try connect(key: "new key").answers == ["hello", "auth"])
        #expect(try connect(key: "old key").answers == ["hello", "auth AUTHENTICATION_FAILED"])
    }

    @Test func `new connections are told the new limits`() throws {
        func keepalive() throws -> UInt32 {
            let client = try connect()
            client.greet(key: "old key")
            client.readPreface()
            let payload = try #require(client.frame()).payload
            return try payload.withUnsafeBytes { try HelloRequest.decodeAnswer($0) }.limits.keepaliveMilliseconds
        }
        service.apply(try Self.deployment(files) { $0.limits.keepaliveSeconds = 7 })
        #expect(try keepalive() == 7_000)
        service.apply(try Self.deployment(files) { $0.limits.keepaliveSeconds = 8 })
        #expect(try keepalive() == 8_000)
    }

    @Test func `lower limits hold for all from now on`() throws {
        let (first, _) = try connect(key: "old key")
        let (second, _) = try connect(key: "old key")
        service.apply(
            try Self.deployment(files) { settings in
                settings.limits.connections = 2
                settings.limits.clientMemoryMebibytes = 1
            })
        #expect(!service.memory.take(2 << 20, for: .requests, of: "old"))
        let third = try connect()
        third.readPreface()
        #expect(try third.next().hasSuffix("TOO_MANY_CONNECTIONS"))
        #expect(service.limiter.counts.connections == 2, "who is there stays")
        withExtendedLifetime((first, second)) {}
    }

    // MARK: Listening and the end

    @Test func `after a drain no client is accepted and none is left`() async throws {
        let service = Self.makeService(try Self.deployment(files) { $0.limits.drainSeconds = 1 })
        try await service.open()
        let path = files.path("carillon.sock")
        let accepted = try await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .connect(unixDomainSocketPath: path).get()
        let inProcess = SocketClient(try service.openSession(for: "test"))
        inProcess.greet(key: "old key")
        inProcess.readPreface()
        #expect(try [inProcess.next(), inProcess.next()] == ["hello", "auth"])
        await service.drain()
        #expect(try inProcess.next() == "goaway")
        try await accepted.closeFuture.get()
        await #expect(throws: (any Error).self) {
            _ = try await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
                .connect(unixDomainSocketPath: path).get()
        }
        #expect(service.limiter.counts.connections == 0)
    }
}
