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
    /// A client in this process, over a socket pair.
    private final class Client: Sendable {
        private let socket: CInt

        init(_ socket: CInt) {
            self.socket = socket
            // Ten minutes: a test that hangs ends.
            var limit = timeval(tv_sec: 600, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(socket) }

        private func send(_ write: (inout FrameWriter) -> Void) {
            var writer = FrameWriter()
            write(&writer)
            let bytes = writer.take()
            _ = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }

        /// Greets the server and shows a key.
        func greet(key: String) {
            send {
                $0.raw(Preface.client)
                $0.request(HelloRequest(software: "test/1"), id: 1)
                $0.request(AuthenticateRequest(key: Array(key.utf8)), id: 2)
            }
        }

        /// Reads that many bytes; nil at the end.
        private func read(_ count: Int) -> [UInt8]? {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var piece = [UInt8](repeating: 0, count: count - bytes.count)
                let length = recv(socket, &piece, piece.count, 0)
                guard length > 0 else { return nil }
                bytes += piece.prefix(length)
            }
            return bytes
        }

        /// Drops the preface of the server.
        func readPreface() { _ = read(Preface.byteCount) }

        /// The next frame: its header and payload; nil at the end.
        func frame() -> (header: FrameHeader, payload: [UInt8])? {
            guard let bytes = read(FrameHeader.byteCount), let header = bytes.withUnsafeBytes({ FrameHeader($0) }),
                let payload = read(Int(header.length))
            else { return nil }
            return (header, payload)
        }

        /// The next frame in words: the operation, and the code of an error; `closed` at the end.
        func next() throws -> String {
            guard let (header, payload) = frame() else { return "closed" }
            guard header.kind == FrameKind.error.rawValue else {
                return header.opcode == .goAway ? "goaway" : header.opcode.name
            }
            return "\(header.opcode.name) \(try payload.withUnsafeBytes { try ErrorReply(decoding: $0) }.code.name)"
        }
    }

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
        (settings.listen.host, settings.listen.unixSocket) = ("", files.path("carillon.sock"))
        change(&settings)
        return try Deployment(settings)
    }

    private static func makeService(_ deployment: Deployment) -> ClientService {
        let (factory, logger) = (NOOPMetricsHandler.instance, ScriptedConnection.logger)
        let (registry, threads) = (FakeRegistry { _ in .applied }, ScriptedConnection.threads)
        let delivery = DeliveryService(
            registry: registry, routes: Routes([:]),
            on: DeliveryService.Dependencies(
                reader: threads.deliveryReads, loop: threads.interactive.next(), logger: logger, factory: factory))
        return ClientService(
            deployment,
            backend: RequestRunner.RequestBackend(
                registry: registry, delivery: delivery,
                channels: ChannelManager(epoch: .zero, threads: threads, factory: factory, logger: logger),
                threads: threads, notifier: CompletionNotifier()),
            events: EventHub(),
            registry: ClientService.HelloValues(epoch: .zero, idempotencyMilliseconds: 86_400_000),
            counted: StatisticsSource.CountedServices(
                registry: registry, delivery: delivery,
                pools: PoolManager(
                    epoch: .zero, threads: threads, delivery: delivery, factory: factory, logger: logger),
                batches: BatchMetrics(factory: factory), loop: threads.interactive.next(), upkeep: threads.upkeep,
                limitBytes: 0),
            reporting: ClientService.Reporting(factory: factory, logger: logger, auditLogger: logger))
    }

    /// A new connection.
    private func connect() throws -> Client { Client(try service.openSession(for: "test")) }

    /// A new connection with a key; returns the answers in words.
    private func connect(key: String) throws -> (client: Client, answers: [String]) {
        let client = try connect()
        client.greet(key: key)
        client.readPreface()
        return (client, [try client.next(), try client.next()])
    }

    // MARK: Reload

    @Test func aPrincipalThatIsRemovedIsCutAndANewOneIsServed() throws {
        let (client, answers) = try connect(key: "old key")
        #expect(answers == ["hello", "auth"])
        #expect(try connect(key: "new key").answers == ["hello", "auth AUTHENTICATION_FAILED"])
        try Self.writePrincipals(["new": "new key"], to: files)
        service.change(to: try Self.deployment(files))
        #expect(try client.next() == "goaway")
        #expect(try client.next() == "closed")
        #expect(try connect(key: "new key").answers == ["hello", "auth"])
        #expect(try connect(key: "old key").answers == ["hello", "auth AUTHENTICATION_FAILED"])
    }

    @Test func newConnectionsAreToldTheNewLimits() throws {
        func keepalive() throws -> UInt32 {
            let client = try connect()
            client.greet(key: "old key")
            client.readPreface()
            let payload = try #require(client.frame()).payload
            return try payload.withUnsafeBytes { try HelloRequest.decodeAnswer($0) }.limits.keepaliveMilliseconds
        }
        service.change(to: try Self.deployment(files) { $0.limits.keepaliveSeconds = 7 })
        #expect(try keepalive() == 7_000)
        service.change(to: try Self.deployment(files) { $0.limits.keepaliveSeconds = 8 })
        #expect(try keepalive() == 8_000)
    }

    @Test func lowerLimitsHoldForAllFromNowOn() throws {
        let (first, _) = try connect(key: "old key")
        let (second, _) = try connect(key: "old key")
        service.change(
            to: try Self.deployment(files) { settings in
                (settings.limits.connections, settings.limits.memoryMebibytes) = (2, 1)
            })
        #expect(!service.memory.take(2 << 20, for: .requests, of: "old"))
        let third = try connect()
        third.readPreface()
        #expect(try third.next().hasSuffix("TOO_MANY_CONNECTIONS"))
        #expect(service.limiter.numbers.connections == 2, "who is there stays")
        withExtendedLifetime((first, second)) {}
    }

    // MARK: Listening and the end

    @Test func afterADrainNoClientIsAcceptedAndNoneIsLeft() async throws {
        let service = Self.makeService(try Self.deployment(files) { $0.limits.drainSeconds = 1 })
        try await service.open()
        let path = files.path("carillon.sock")
        let accepted = try await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .connect(unixDomainSocketPath: path).get()
        let inProcess = Client(try service.openSession(for: "test"))
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
        #expect(service.limiter.numbers.connections == 0)
    }
}
