import CarillonCore
package import CarillonWire
package import NIOCore
import NIOPosix

/// A server on a loopback address whose answers a test writes itself, except those to the handshake and to pings.
///
/// ```swift
/// let server = try await ScriptedServer.start()
/// let peer = try await server.accept()
/// let (id, lookup) = try await peer.request(LookupRequest.self)
/// peer.answer(id, device, to: LookupRequest.self)
/// ```
package final class ScriptedServer: Sendable {
    /// The handshake and the pings, which the server answers itself.
    package struct PeerBehaviour: Sendable {
        /// The answer to HELLO; nil: the server itself reads and sends no byte, not even a preface.
        package var helloAnswer: HelloAnswer?
        /// The key that AUTH must have.
        package var key: [UInt8] = Array("secret".utf8)
        /// True if pings are answered and not passed to the test.
        package var answersPings = true

        /// Makes the behaviour of a server that wants no AUTH and answers pings.
        package init(helloAnswer: HelloAnswer? = .scripted()) {
            self.helloAnswer = helloAnswer
        }
    }

    /// The error of a peer that did something else than the test expected.
    package enum UnexpectedPeerAction: Error {
        case noConnection
        case event(ScriptedPeer.Event?)
    }

    private let channel: any Channel
    private let peers: AsyncStream<ScriptedPeer>

    private init(channel: any Channel, peers: AsyncStream<ScriptedPeer>) {
        self.channel = channel
        self.peers = peers
        port = channel.localAddress?.port ?? 0
    }

    /// Starts a server on a free port of 127.0.0.1, or on `port`. `prepare` may add handlers below, as for TLS.
    package static func start(
        _ behaviour: PeerBehaviour = PeerBehaviour(),
        port: Int = 0,
        prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> ScriptedServer {
        let (peers, yield) = AsyncStream.makeStream(of: ScriptedPeer.self)
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare(channel)
                    let (events, continuation) = AsyncStream.makeStream(of: ScriptedPeer.Event.self)
                    let handler = ScriptedPeerHandler(behaviour, continuation)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    yield.yield(ScriptedPeer(channel: channel, events: events))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        let server = ScriptedServer(channel: channel, peers: peers)
        // Why try?: a test may have stopped it.
        CleanUp.add { try? await server.stop() }
        return server
    }

    /// The port, also after `stop`.
    package let port: Int

    /// Waits for the next connection and returns it.
    package func accept() async throws -> ScriptedPeer {
        var iterator = peers.makeAsyncIterator()
        guard let peer = await iterator.next() else { throw UnexpectedPeerAction.noConnection }
        return peer
    }

    /// Stops listening; connections stay.
    package func stop() async throws {
        try await channel.close()
    }
}

/// One connection to a scripted server.
package struct ScriptedPeer: Sendable {
    /// An input from the client.
    package enum Event: Sendable {
        case request(id: UInt64, AnyRequest, CommonFields)
        case control(Control)
        /// A frame that cannot be read.
        case fault(WireError)
        /// The client has closed.
        case closed
    }

    private let channel: any Channel
    private let events: AsyncStream<Event>

    init(channel: any Channel, events: AsyncStream<Event>) {
        self.channel = channel
        self.events = events
    }

    /// Waits for the next event and returns it, without HELLO and AUTH; nil after the end.
    package func next() async -> Event? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    /// Waits for the next request and returns it; throws if anything else comes.
    package func request() async throws -> (id: UInt64, request: AnyRequest) {
        let event = await next()
        guard case .request(let id, let request, _) = event else {
            throw ScriptedServer.UnexpectedPeerAction.event(event)
        }
        return (id, request)
    }

    /// Waits for the next request and returns it; throws if anything else than a request of that operation comes.
    package func request<O: Operation>(_ type: O.Type) async throws -> (id: UInt64, request: O) {
        let (id, request) = try await request()
        guard let request = request.as(type) else {
            throw ScriptedServer.UnexpectedPeerAction.event(.request(id: id, request, CommonFields()))
        }
        return (id, request)
    }

    /// Waits for the next control frame and returns it; throws if anything else comes.
    package func control() async throws -> Control {
        let event = await next()
        guard case .control(let control) = event else { throw ScriptedServer.UnexpectedPeerAction.event(event) }
        return control
    }

    /// Waits until the client has closed; throws if anything else comes.
    package func closed() async throws {
        let event = await next()
        guard case .closed = event else { throw ScriptedServer.UnexpectedPeerAction.event(event) }
    }

    package func send(_ write: (inout FrameWriter) -> Void) {
        var writer = FrameWriter()
        write(&writer)
        channel.writeAndFlush(ByteBuffer(bytes: writer.take()), promise: nil)
    }

    package func answer<O: Operation>(_ id: UInt64, _ answer: O.Answer, to operation: O.Type) {
        send { $0.answer(answer, to: operation, id: id) }
    }

    package func answer(_ id: UInt64, _ answer: AnyAnswer) {
        send { $0.answer(answer, id: id) }
    }

    package func refuse(_ id: UInt64, opcode: Opcode, _ error: RequestError) {
        send { $0.error(error, opcode: opcode, id: id) }
    }

    package func close() {
        channel.close(promise: nil)
    }
}

extension HelloAnswer {
    /// Makes the answer of a scripted server with the usual limits. By default the client is authenticated.
    package static func scripted(
        inFlightLimit: UInt32 = 1_024, isAuthenticated: Bool = true, node: AnnouncedNode? = nil
    ) -> HelloAnswer {
        var limits = AnnouncedLimits()
        limits.requestsInFlight = inFlightLimit
        return HelloAnswer(
            software: "scripted/1",
            epoch: UUIDBytes(high: 1, low: 2),
            clock: Timestamp(milliseconds: 1_790_000_000_000),
            limits: limits,
            isAuthenticated: isAuthenticated,
            opcodes: Opcode.served.map { HelloAnswer.AnnouncedLayouts(opcode: $0) },
            node: node
        )
    }
}
