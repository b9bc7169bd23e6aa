import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Testing

/// The lines of the log: each way in which a connection can end has its own.
@Suite(.cleansUp) struct ConnectionLogTests {
    private func wait(for text: String, _ log: RecordingLog) async throws {
        try await log.entries.wait(until: text) { $0.contains { "\($0)".contains(text) } }
    }

    /// The handler that closes each connection as soon as it is accepted, or after the first bytes.
    private final class Closer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
    }

    @Test func `a close in the handshake is logged with its state`() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Closer()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let log = RecordingLog()
        let sender = try Sender(to: listener.localAddress?.port ?? 0, log: log)
        sender.source.add(devices: 1...1)
        try await wait(
            for: "warning APNs closed the connection before it could be used ending=FIN state=handshaking", log)
        try await sender.closeExpectingAllReturned()
        try await listener.close()
    }

    @Test func `a refused connect is logged with its error`() async throws {
        let gone = try await ScriptedAPNs { _ in [] }
        try await gone.close()
        let log = RecordingLog()
        let sender = try Sender(to: gone.port, log: log)
        sender.source.add(devices: 1...1)
        try await wait(for: "warning cannot connect to APNs error=Connection refused host=127.0.0.1", log)
        try await sender.closeExpectingAllReturned()
    }

    @Test(arguments: [(true, "ending=close_notify"), (false, "ending=FIN")])
    func `a close is logged with the number of unanswered pushes`(_ isPolite: Bool, _ ending: String) async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let log = RecordingLog()
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { _ in false }), log: log)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(devices: 2...11)
        try await apns.watched.wait(until: "ten requests wait") { $0.mostWaiting[1] == 10 }
        apns.send(1, isPolite ? .closeNotify : .cut)
        try await sender.source.allReturned(deliveries: 11)
        try await wait(
            for: "warning APNs closed the connection with pushes in flight \(ending) state=open unanswered=10", log)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `the fault of a peer that breaks HTTP is logged`() async throws {
        let settings = (0..<33).flatMap { _ in [0, 3, 0, 0, 0, 100] as [UInt8] }
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.raw(Frames.frame(.settings, stream: 0, settings))] : [.answer(200)]
        }
        let log = RecordingLog()
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 != .delivered }), log: log)
        sender.source.add(devices: 1...1)
        try await wait(for: "warning APNs broke the protocol detail=SETTINGS: too many setting entries", log)
        try await sender.source.allReturned(deliveries: 1)
        try await sender.closeExpectingAllReturned()
    }

    /// A push service of browsers answers 201 to each push that it takes: a line for each would hide the others.
    @Test func `only a push that was not delivered is logged with its answer`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.number == 1 ? [.answer(201)] : [.answer(410, reason: "Unregistered")]
        }
        let log = RecordingLog()
        let sender = try Sender(
            to: apns.port, source: RecordingSource(retries: { _ in false }), log: log, logLevel: .debug)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(devices: 2...2)
        try await sender.source.allReturned(deliveries: 2)
        #expect(
            log.lines.filter { $0.contains("status=") } == [
                "debug APNs did not deliver a push reason=Unregistered status=410"
            ])
        try await sender.closeExpectingAllReturned()
    }

    @Test(arguments: ["ExpiredProviderToken", "TooManyProviderTokenUpdates"])
    func `a token that is refused again and again is logged once`(_ reason: String) async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection < 4 ? [.answer(403, reason: reason)] : [.answer(200)]
        }
        let log = RecordingLog()
        let sender = try Sender(to: apns.port, log: log)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        let warnings = log.lines.filter { $0.hasPrefix("warning APNs refuses the provider token") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("connections=2 reason=\(reason)") == true)
        try await sender.closeExpectingAllReturned()
    }
}
