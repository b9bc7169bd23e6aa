import CarillonClock
import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import CoreMetrics
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import CarillonServer

/// A client of a dispatcher, without sockets: it sends one request at a time and reads the answer in words.
final class ScriptedConnection {
    static let game = TestApps.game
    /// An app for which every principal has grants, and which is not served.
    static let retired = AppID("com.example.retired")!
    /// An app for which no principal has a grant, except `all`.
    static let other = AppID("com.example.other")!

    /// The principals; each has a certificate of its name.
    private static let principals = """
        {"principals": [
          {"name": "registrar", "certificateNames": ["registrar"], "grants": [
            {"app": "com.example.game", "roles": ["register"]}, {"app": "com.example.retired", "roles": ["register"]}]},
          {"name": "sender", "certificateNames": ["sender"], "grants": [
            {"app": "com.example.game", "roles": ["send"]}, {"app": "com.example.retired", "roles": ["send"]}]},
          {"name": "observer", "certificateNames": ["observer"], "grants": [
            {"app": "com.example.game", "roles": ["observe"]}, {"app": "com.example.retired", "roles": ["observe"]}]},
          {"name": "limited", "certificateNames": ["limited"], "requestsPerSecond": 2, "grants": [
            {"app": "com.example.game", "roles": ["register"]}]},
          {"name": "all", "certificateNames": ["all"], "grants": [
            {"app": "*", "roles": ["register", "send", "observe", "admin"]}]}]}
        """

    /// The threads of all connections; they live as long as the process.
    static let threads = ServerThreads(clientThreads: 1, bulkNiceness: 0, logger: logger)

    let registry: FakeRegistry
    let runner: RequestRunner
    let dispatcher: RequestDispatcher
    /// The time at which requests are read: a second ago, so that what waits is run later than it was read.
    let now: Moment
    private let channel = EmbeddedChannel()
    private var lastID: UInt64 = 1

    /// Connects a principal and greets the server.
    init(
        as principal: String, registry: FakeRegistry = FakeRegistry { _ in .applied },
        memory: SharedMemoryBudget = SharedMemoryBudget(limitBytes: 128 << 20),
        audit: AuditLog = AuditLog(.none, logger: ScriptedConnection.logger),
        apps: [AppID: ServedApp] = [
            game: ServedApp(pushTypes: [.alert]), other: ServedApp(pushTypes: [.alert]),
        ]
    ) throws {
        self.registry = registry
        var now = Clock.now()
        now.uptime = now.uptime.earlier(byMilliseconds: 1_000)
        self.now = now
        let dependencies = Self.dependencies(
            registry, authenticator: try Self.authenticator(), memory: memory, audit: audit, apps: apps,
            loop: channel.eventLoop)
        runner = dependencies.runner
        dispatcher = RequestDispatcher(dependencies, channel: channel, logger: Self.logger)
        dispatcher.transportReady(identity: .certificate(names: [.dns(principal)]))
        var writer = FrameWriter()
        writer.raw(Preface.clientBytes)
        writer.request(HelloRequest(software: "test/1"), id: lastID)
        receive(writer.take())
        // On a busy machine a time slice can be over before HELLO is read.
        while dispatcher.turn.isStopped { resume() }
        _ = dispatcher.takeOutput()
    }

    var principal: Principal? { dispatcher.session.principal }

    /// Sends a request and returns the answer in words: `OK`, or the code of the error, its field and its item; `none`
    /// if there is no answer yet.
    ///
    /// - Parameter milliseconds: the deadline of the request, from `now`.
    func send(_ request: some CarillonWire.Operation, withinMilliseconds milliseconds: UInt32? = nil) throws -> String {
        receive(frame(request, withinMilliseconds: milliseconds))
        return try answer()
    }

    /// Returns the bytes of the next request.
    func frame(_ request: some CarillonWire.Operation, withinMilliseconds milliseconds: UInt32? = nil) -> [UInt8] {
        lastID += 1
        var writer = FrameWriter()
        writer.request(request, id: lastID, common: CommonFields(deadlineMilliseconds: milliseconds))
        return writer.take()
    }

    /// True if the connection waits for its next turn.
    var isReadingStopped: Bool { dispatcher.turn.isStopped }

    /// Runs what other threads have left for the event loop, and returns the answer in words.
    func answer() throws -> String {
        channel.embeddedEventLoop.run()
        // On a busy machine a time slice can be over before the request is read.
        while dispatcher.turn.isStopped { resume() }
        let bytes = dispatcher.takeOutput()
        let id = lastID
        return try bytes.withUnsafeBytes { bytes in
            guard let header = FrameHeader(bytes) else { return "none" }
            #expect(header.id == id)
            guard header.kind == FrameKind.error.rawValue else { return "OK" }
            let payload = UnsafeRawBufferPointer(
                rebasing: bytes[FrameHeader.byteCount..<FrameHeader.byteCount + Int(header.length)])
            return Self.text(of: try RequestError(decoding: payload))
        }
    }

    /// Returns an error in words.
    static func text(of error: RequestError) -> String {
        var text = error.code.name
        if let field = error.field { text += " \(field)" }
        if let item = error.item { text += "[\(item)]" }
        return text
    }

    /// True if the server would read more of the socket now.
    var readsSocket: Bool { dispatcher.reserveForSocketRead() }

    /// Removes and returns the bytes that the server has made for the client since the last call.
    func takeOutput() -> [UInt8] { dispatcher.takeOutput() }

    /// Removes and returns the output, as the operations of its answers, in their order.
    func takeOpcodes() -> [Opcode] {
        takeOutput().withUnsafeBytes { bytes in
            var offset = 0
            var opcodes: [Opcode] = []
            while let header = FrameHeader(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
                opcodes.append(header.opcode)
                offset += FrameHeader.byteCount + Int(header.length)
            }
            return opcodes
        }
    }

    func close() { dispatcher.end() }

    func advanceTime(by time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    /// Reads on, as the channel does when the output was sent.
    func resume() {
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        dispatcher.readFrames(at: now)
    }

    /// Reads on, and returns the operations of the answers that have come since the last call, in their order.
    func takeAnsweredOpcodes() -> [Opcode] {
        // On a busy machine a time slice can be over before a request is read.
        repeat { resume() } while isReadingStopped
        return takeOpcodes()
    }

    /// Passes bytes of the client to the dispatcher.
    func receive(_ bytes: [UInt8]) {
        dispatcher.append(ByteBuffer(bytes: bytes))
        dispatcher.readFrames(at: now)
    }

    // MARK: The server

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func authenticator() throws -> Authenticator { Authenticator(try load(principals)) }

    static func load(_ principals: String) throws -> PrincipalsFile {
        try withExtendedLifetime(TemporaryDirectory()) { try PrincipalsFile.load(path: $0.write(principals)) }
    }

    /// Reloads the principals: that of this connection has only this grant from now on. Drops the GOAWAY.
    func reload(granting role: String, of app: AppID) throws {
        let name = try #require(principal?.name)
        let principals = """
            {"principals": [{"name": "\(name)", "certificateNames": ["\(name)"], "grants": [
              {"app": "\(app)", "roles": ["\(role)"]}]}]}
            """
        dispatcher.dependencies.authenticator.apply(try Self.load(principals))
        #expect(dispatcher.clientsChanged(.init(haveAuthoritiesChanged: false, reconnectAfterMilliseconds: 0)))
        _ = dispatcher.takeOutput()
    }

    /// Makes the services of a session over that registry.
    static func dependencies(
        _ registry: FakeRegistry, authenticator: Authenticator,
        memory: SharedMemoryBudget = SharedMemoryBudget(limitBytes: 128 << 20),
        audit: AuditLog = AuditLog(.none, logger: logger),
        apps: [AppID: ServedApp] = [game: ServedApp(pushTypes: [.alert])],
        connections: ConnectionLimiter = ConnectionLimiter(.init(connections: 1, halfOpen: 1, halfOpenPerAddress: 1)),
        loop: any EventLoop
    ) -> SessionDependencies {
        let metrics = RequestMetrics(factory: NOOPMetricsHandler.instance)
        let limits = SessionLimits()
        let helloAnswer = HelloAnswer(
            software: "carillon/test", epoch: .zero, clock: .zero, limits: HelloAnswer.AnnouncedLimits(limits),
            isAuthenticated: false, opcodes: Opcode.served.map { HelloAnswer.AnnouncedLayouts(opcode: $0) })
        let runner = makeRunner(
            registry, apps: apps, metrics: metrics, connections: connections, audit: audit, loop: loop)
        return SessionDependencies(
            limits: limits, helloAnswer: helloAnswer, authenticator: authenticator, runner: runner, events: EventHub(),
            limiter: connections, memory: memory, metrics: metrics, logger: logger)
    }

    private static func makeRunner(
        _ registry: FakeRegistry, apps: [AppID: ServedApp], metrics: RequestMetrics, connections: ConnectionLimiter,
        audit: AuditLog, loop: any EventLoop
    ) -> RequestRunner {
        let services = IdleServices(registry, on: loop)
        return RequestRunner(
            RequestRunner.Backend(
                registry: registry, delivery: services.delivery,
                channels: ChannelRouter(
                    epoch: .zero, threads: threads, factory: NOOPMetricsHandler.instance, logger: logger),
                threads: threads, notifier: CompletionNotifier()),
            served: ServedApps(apps), metrics: metrics,
            statistics: StatisticsSource(services.forStatistics, requests: metrics, connections: connections),
            acknowledgements: EventAcknowledgements(registry, loop: loop), audit: audit)
    }
}
