import CarillonTLS
import CarillonTLSChannel
import CarillonTestKit
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

/// A recorder of the inbound bytes and events of a pipeline.
private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    var text = ""
    var events: [TLSHandshakeCompleted] = []
    var inputClosed = false
    var errors: [TLSError] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { text += String(buffer: unwrapInboundIn(data)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSHandshakeCompleted { events.append(event) }
        if case ChannelEvent.inputClosed = event { inputClosed = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? TLSError { errors.append(error) }
    }
}

/// One end of a connection: a channel without a socket, and the events of its pipeline.
private struct Endpoint {
    let channel = EmbeddedChannel()
    let recorder = Recorder()

    init(_ handler: TLSHandler) throws {
        try channel.pipeline.syncOperations.addHandlers(handler, recorder)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Gives everything this endpoint has sent to the other.
    func deliver(to other: Endpoint) throws {
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { try other.channel.writeInbound(bytes) }
    }

    static func handshake(_ one: Endpoint, _ other: Endpoint) throws {
        for _ in 0..<4 {
            try one.deliver(to: other)
            try other.deliver(to: one)
        }
    }
}

/// The handler of TLS in a channel: the handshake, its deadline, and the ends of both directions.
struct TLSHandlerTests {
    let authority: TestAuthority
    let server: TLSContext
    let client: TLSContext

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", subject: "/CN=server", names: "DNS:carillon.test")
        server = try .server(identity: authority.identity("server"), applicationProtocols: ["carillon/1"])
        client = try .client(
            trust: .authorities(path: authority.path("ca.pem")),
            applicationProtocols: ["carillon/1"]
        )
    }

    private func endpoints(serverName: String = "carillon.test") throws -> (client: Endpoint, server: Endpoint) {
        (try Endpoint(TLSHandler(client: client, serverName: serverName)), try Endpoint(TLSHandler(server: server)))
    }

    @Test func `writes wait for the handshake`() throws {
        let (client, server) = try endpoints()
        let early = client.channel.writeAndFlush(ByteBuffer(string: "early"))
        try Endpoint.handshake(client, server)
        try early.wait()
        #expect(server.recorder.text == "early")
        #expect(server.recorder.events.map(\.alpn) == ["carillon/1"])
        #expect(client.recorder.events.first?.peerCertificate?.dnsNames == ["carillon.test"])
    }

    @Test func `one flush writes one buffer`() throws {
        let (client, server) = try endpoints()
        try Endpoint.handshake(client, server)
        for _ in 0..<100 { server.channel.write(ByteBuffer(string: "0123456789"), promise: nil) }
        #expect(try server.channel.readOutbound(as: ByteBuffer.self) == nil)
        server.channel.flush()
        let ciphertext = try #require(try server.channel.readOutbound(as: ByteBuffer.self))
        #expect(try server.channel.readOutbound(as: ByteBuffer.self) == nil)
        try client.channel.writeInbound(ciphertext)
        #expect(client.recorder.text == String(repeating: "0123456789", count: 100))
    }

    @Test func `a certificate of another name fails both channels`() throws {
        let (client, server) = try endpoints(serverName: "other.test")
        let write = client.channel.writeAndFlush(ByteBuffer(string: "never"))
        try Endpoint.handshake(client, server)
        #expect(client.recorder.errors == [.certificateRejected(.nameMismatch)])
        #expect(server.recorder.errors == [.alertReceived(.badCertificate)])
        #expect(throws: TLSError.certificateRejected(.nameMismatch)) { try write.wait() }
        #expect(!client.channel.isActive)
        #expect(!server.channel.isActive)
    }

    @Test func `a silent peer is closed at the deadline`() throws {
        let endpoint = try Endpoint(TLSHandler(server: server))
        endpoint.channel.embeddedEventLoop.advanceTime(by: .milliseconds(9999))
        #expect(endpoint.recorder.errors == [])
        endpoint.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(endpoint.recorder.errors == [.handshakeTimedOut])
        #expect(!endpoint.channel.isActive)
    }

    @Test func `a completed handshake stops the deadline`() throws {
        let (client, server) = try endpoints()
        try Endpoint.handshake(client, server)
        server.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(server.recorder.errors == [])
        #expect(server.channel.isActive)
    }

    @Test func `closing sends close_notify`() throws {
        let (client, server) = try endpoints()
        try Endpoint.handshake(client, server)
        try client.channel.close().wait()
        try client.deliver(to: server)
        #expect(server.recorder.errors == [])
        #expect(!server.channel.isActive)
    }

    @Test func `half-close leaves the other direction`() throws {
        let (client, server) = try endpoints()
        try server.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try Endpoint.handshake(client, server)
        client.channel.write(ByteBuffer(string: "last"), promise: nil)
        client.channel.flush()
        client.channel.close(mode: .output, promise: nil)
        let late = client.channel.writeAndFlush(ByteBuffer(string: "late"))
        #expect(throws: ChannelError.outputClosed) { try late.wait() }
        try client.deliver(to: server)
        #expect(server.recorder.text == "last")
        #expect(server.recorder.inputClosed)
        #expect(server.channel.isActive)
        server.channel.writeAndFlush(ByteBuffer(string: "answer"), promise: nil)
        #expect(try server.channel.readOutbound(as: ByteBuffer.self) != nil)
    }

    @Test func `end without close_notify is truncation`() throws {
        let (client, server) = try endpoints()
        try Endpoint.handshake(client, server)
        server.channel.pipeline.fireChannelInactive()
        #expect(server.recorder.errors == [.truncated])
    }

    @Test func `writes before the handshake are bounded`() throws {
        let (client, _) = try endpoints()
        let half = ByteBuffer(repeating: 0, count: TLSHandler.maximumPendingBytes / 2 + 1)
        client.channel.write(half, promise: nil)
        #expect(client.recorder.errors == [])
        client.channel.write(half, promise: nil)
        #expect(client.recorder.errors.count == 1)
        #expect(!client.channel.isActive)
    }

    @Test func `a client of OpenSSL exchanges bytes with the handler`() async throws {
        let context = server
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(TLSHandler(server: context), Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let answer = try authority.openssl(
            "s_client -connect 127.0.0.1:\(port) -servername carillon.test -verify_hostname carillon.test "
                + "-verify_return_error -CAfile ca.pem -alpn carillon/1 -ign_eof"
        )
        #expect(answer.contains("Verification: OK"))
        #expect(answer.contains("ALPN protocol: carillon/1"))
        #expect(answer.contains("good day"))
        try await listener.close()
    }
}

/// A handler that sends a greeting and closes.
private final class Greeter: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is TLSHandshakeCompleted else { return }
        context.writeAndFlush(NIOAny(ByteBuffer(string: "good day\n")), promise: nil)
        context.close(promise: nil)
    }
}
