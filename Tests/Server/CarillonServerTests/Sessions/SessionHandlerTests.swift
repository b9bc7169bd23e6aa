import CarillonCore
import CarillonTLS
import CarillonTLSChannel
import CarillonWire
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonServer

/// The channel of a session: its writes, and the end of the connection.
struct SessionHandlerTests {
    private static let key = Array("crln_key".utf8)

    private let channel = EmbeddedChannel()
    private let limiter = ConnectionLimiter(.init(connections: 9, halfOpen: 9, halfOpenPerAddress: 9))
    private let registry = FakeRegistry { _ in .forgotten(wasKnown: true) }

    init() throws { try self.init(usesTLS: false) }

    /// Makes a connection whose client may speak, or whose TLS handshake has not ended.
    private init(usesTLS: Bool) throws {
        let principals = """
            {"principals": [{"name": "game", "keySHA256": ["\(Hex.string(SHA256.hash(Self.key)))"], "grants": [
              {"app": "*", "roles": ["register", "send", "observe", "admin"]}]}]}
            """
        let dependencies = ScriptedConnection.dependencies(
            registry, authenticator: Authenticator(try ScriptedConnection.load(principals)), connections: limiter,
            loop: channel.eventLoop)
        guard case .admitted(let id, _) = limiter.admit(from: .unixSocket) else {
            throw ChannelError.operationUnsupported
        }
        let handler = SessionHandler(dependencies, channel: channel, id: id, usesTLS: usesTLS, clientAddress: "unix")
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/run/carillon.sock")).wait()
    }

    /// A request that the registry answers at once.
    private let request = ForgetSubscriberRequest(name: "stats")

    /// Receives what a client writes.
    private func receive(_ write: (inout FrameWriter) -> Void) throws {
        var writer = FrameWriter()
        write(&writer)
        try channel.writeInbound(ByteBuffer(bytes: writer.take()))
    }

    /// Greets as the client, and shows its key.
    private func authenticate(_ key: [UInt8] = key) throws {
        try receive {
            $0.raw(Preface.clientBytes)
            $0.request(HelloRequest(software: "test/1"), id: 1)
            $0.request(AuthenticateRequest(key: key), id: 2)
        }
    }

    /// Returns the answers since the last call: `operation id`, with the code of an error; and `closed`.
    private func written() throws -> [String] {
        // What other threads have left, and the next turns of the session.
        for _ in 0..<10 { channel.embeddedEventLoop.advanceTime(by: .milliseconds(1)) }
        var bytes: [UInt8] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) { bytes += next.readableBytesView }
        if bytes.starts(with: Preface.magic) { bytes.removeFirst(Preface.byteCount) }
        var frames: [String] = []
        while let header = bytes.withUnsafeBytes({ FrameHeader($0) }) {
            let payload = Array(bytes[FrameHeader.byteCount..<FrameHeader.byteCount + Int(header.length)])
            bytes.removeFirst(FrameHeader.byteCount + payload.count)
            var words = "\(header.opcode == .goAway ? "goaway" : header.opcode.name) \(header.id)"
            if header.kind == FrameKind.error.rawValue {
                words += " \(try payload.withUnsafeBytes { try RequestError(decoding: $0) }.code.name)"
            }
            frames.append(words)
        }
        return channel.isActive ? frames : frames + ["closed"]
    }

    @Test func `a client is half open until it is known`() throws {
        #expect(limiter.counts == (1, 1))
        try authenticate()
        #expect(try written() == ["hello 1", "auth 2"])
        #expect(limiter.counts == (1, 0))
        try receive { $0.request(request, id: 3) }
        #expect(try written() == ["forget-subscriber 3"])
        channel.close(promise: nil)
        #expect(limiter.counts == (0, 0))
    }

    @Test func `a wrong key is answered and no request is executed after it`() throws {
        try authenticate(Array("crln_other".utf8))
        #expect(try written().filter { $0 != "closed" } == ["hello 1", "auth 2 AUTHENTICATION_FAILED"])
        try receive { $0.request(request, id: 3) }
        _ = try written()
        #expect(registry.changes == [])
    }

    @Test func `no request is read from a client that does not take its answers`() throws {
        try authenticate()
        _ = try written()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        try receive { $0.request(request, id: 3) }
        #expect(try written() == [])
        #expect(registry.changes == [])
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try written() == ["forget-subscriber 3"])
        channel.embeddedEventLoop.advanceTime(by: GracefulClose.stallTimeout)
        #expect(try written() == [], "it was in time")
    }

    @Test func `a client that takes no answers for long is cut`() throws {
        try authenticate()
        _ = try written()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: GracefulClose.stallTimeout)
        #expect(try written() == ["closed"])
    }

    @Test func `requests sent before the end of the input are answered`() throws {
        try authenticate()
        _ = try written()
        try receive { $0.request(request, id: 3) }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try written() == ["forget-subscriber 3", "closed"])
        #expect(registry.changes.count == 1)
    }

    @Test func `a drain is announced and a known client is still answered`() throws {
        try authenticate()
        _ = try written()
        channel.pipeline.fireUserInboundEventTriggered(SessionHandler.BeginDraining(reconnectAfterMilliseconds: 100))
        #expect(try written().first == "goaway 0")
    }

    @Test func `a connection that gives way is told and closed at once`() throws {
        let limit = ConnectionLimit(setting: .limitsConnections, maximum: 9)
        channel.pipeline.fireUserInboundEventTriggered(SessionHandler.ConnectionDisplaced(limit: limit))
        let written = try written()
        #expect(written.last == "closed")
        #expect(written.first?.hasSuffix("TOO_MANY_CONNECTIONS") == true)
    }

    /// The client can be told nothing before TLS is there.
    @Test func `a connection is closed without a word during its handshake`() throws {
        for event: any Sendable in [
            SessionHandler.BeginDraining(reconnectAfterMilliseconds: 0),
            SessionHandler.ConnectionDisplaced(limit: ConnectionLimit(setting: .limitsConnections, maximum: 9)),
        ] {
            let test = try Self(usesTLS: true)
            test.channel.pipeline.fireUserInboundEventTriggered(event)
            #expect(try test.written() == ["closed"])
            #expect(test.limiter.counts == (0, 0))
        }
    }
}
