import CarillonHTTP2
import CarillonHTTP2Server
import CarillonTLS
import CarillonTestKit
import NIOCore
import NIOPosix

/// An APNs on a loopback port that reacts to each request as a script says.
final class ScriptedAPNs: Sendable {
    struct Arrival: Sendable {
        /// The number of the connection: 1 for the first, and so on.
        var connection: Int
        var stream: Int32
        /// The number of the request on its connection: 1 for the first, and so on.
        var number: Int
        var headers: [String: String]
        var bodyBytes: Int

        var device: UInt64 { UInt64((headers[":path"] ?? "").suffix(16), radix: 16) ?? 0 }
    }

    /// A reaction of the server; without a stream, to the request itself.
    enum Reaction: Sendable {
        case answer(UInt16, reason: String? = nil, timestamp: UInt64? = nil, stream: Int32? = nil)
        case reset(HTTP2ErrorCode, stream: Int32? = nil)
        case goAway(last: Int32, HTTP2ErrorCode = .noError, debug: String = "")
        case maxStreams(UInt32)
        case streamWindow(UInt32)
        /// The server sends these bytes inside TLS, past the HTTP/2 session.
        case raw([UInt8])
        /// TLS ends its direction, TCP does not.
        case closeNotify
        /// TLS and TCP end here.
        case close
        /// TCP ends, TLS does not.
        case cut
        /// The server reads, answers and acknowledges nothing more; the socket stays.
        case freeze
    }

    /// The handshake and settings before any request.
    struct Greeting: Sendable {
        var certificate = TestCertificates.ServerCertificate.good
        var protocols = ["h2"]
        var maxStreams: UInt32 = 1_000
        /// The streams that the first connections allow instead, in order.
        var firstMaxStreams: [UInt32] = []
        var streamWindow: UInt32 = 65_535
        /// The bytes that are sent instead of HTTP/2.
        var garbage: [UInt8]?
    }

    struct State: Sendable {
        var arrivals: [Arrival] = []
        /// The times at which connections were accepted.
        var connectionTimes: [NIODeadline] = []
        var secured = 0
        var gone = 0
        /// The largest number of requests that waited for an answer at a time, by connection.
        var mostWaiting: [Int: Int] = [:]
        var cancelled: [Int32] = []
        /// The number of requests that have begun, whole or not.
        var opened = 0
        /// The number of PINGs received in a read of their own.
        var pings = 0
        /// The number of SETTINGS that the client has acknowledged.
        var acknowledged = 0

        func arrivals(on connection: Int) -> [Arrival] { arrivals.filter { $0.connection == connection } }
        var connections: Set<Int> { Set(arrivals.map(\.connection)) }
    }

    typealias Script = @Sendable (Arrival) -> [Reaction]

    let watched = Watched(State())
    let port: Int
    private let listener: any Channel
    /// The connections, in the order in which they were accepted.
    private let channels: Watched<[any Channel]>

    /// Listens; `port` 0 takes a free one.
    init(_ greeting: Greeting = Greeting(), port: Int = 0, script: @escaping Script) async throws {
        let tls = try TestCertificates.shared.get().serverContext(greeting.certificate, protocols: greeting.protocols)
        let watched = watched
        let channels = Watched<[any Channel]>([])
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = channels.change { all in
                        all.append(channel)
                        return all.count
                    }
                    let connection = try ScriptedAPNsConnection(
                        number, tls: tls, greeting: greeting, watched: watched, script: script)
                    try channel.pipeline.syncOperations.addHandler(connection)
                    // Last, because a test that sees the connection may send to it.
                    watched.change { $0.connectionTimes.append(.now()) }
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.channels = channels
        self.port = listener.localAddress?.port ?? 0
        CleanUp.add { [listener] in
            // Why try?: a test may have closed them.
            try? await listener.close()
            for channel in channels.now { try? await channel.close() }
        }
    }

    /// Makes a connection react outside of a request.
    func send(_ connection: Int, _ reactions: Reaction...) {
        let channels = channels.now
        guard channels.indices.contains(connection - 1) else { return }
        channels[connection - 1].pipeline.fireUserInboundEventTriggered(reactions)
    }

    /// Answers pushes of a connection, by their numbers on it (`Arrival.number`).
    func answer(
        pushes numbers: some Sequence<Int>, on connection: Int, with status: UInt16 = 200, reason: String? = nil
    ) {
        for stream in Self.streams(ofPushes: numbers) {
            send(connection, .answer(status, reason: reason, stream: stream))
        }
    }

    /// Returns the streams of pushes, by their numbers on a connection: a client has the streams 1, 3, 5 and so on.
    static func streams(ofPushes numbers: some Sequence<Int>) -> [Int32] { numbers.map { Int32(2 * $0 - 1) } }

    func close() async throws { try await listener.close() }
}

final class ScriptedAPNsConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let number: Int
    private let tls: TLSSession
    private let http2: HTTP2ServerSession
    private let greeting: ScriptedAPNs.Greeting
    private let watched: Watched<ScriptedAPNs.State>
    private let script: ScriptedAPNs.Script
    private var context: ChannelHandlerContext?
    private var isSecured = false
    private var isOver = false
    private var requests = 0
    private var opened = 0
    private var waiting: Set<Int32> = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    init(
        _ number: Int,
        tls: TLSContext,
        greeting: ScriptedAPNs.Greeting,
        watched: Watched<ScriptedAPNs.State>,
        script: @escaping ScriptedAPNs.Script
    ) throws {
        self.number = number
        self.tls = try TLSSession(server: tls)
        var settings = HTTP2ServerSettings()
        let others = greeting.firstMaxStreams
        settings.maxConcurrentStreams = number <= others.count ? others[number - 1] : greeting.maxStreams
        settings.initialWindowSize = greeting.streamWindow
        http2 = try HTTP2ServerSession(settings: settings)
        self.greeting = greeting
        self.watched = watched
        self.script = script
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        http2.close()
        watched.change { $0.gone += 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        do {
            try unwrapInboundIn(data).withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
            try handshakeOrRead()
        } catch {
            flush()
            end()
        }
        flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func handshakeOrRead() throws {
        if !isSecured {
            guard try tls.handshake() == .complete else { return }
            isSecured = true
            watched.change { $0.secured += 1 }
            if let garbage = greeting.garbage { try garbage.withUnsafeBytes { try tls.write($0) } }
        }
        while !isOver {
            let result = try buffer.withUnsafeMutableBytes { try tls.read(into: $0) }
            switch result {
            case .bytes(let count): try buffer[..<count].withUnsafeBytes { try received($0) }
            case .wantMore: return
            case .closed: return end()
            }
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) throws {
        // A PING frame is 17 bytes long and of type 6; nghttp2 answers it.
        if bytes.count == 17, bytes[3] == 6, bytes[4] == 0 { watched.change { $0.pings += 1 } }
        try http2.receive(bytes)
        countOpened()
        var arrivals: [ScriptedAPNs.Arrival] = []
        http2.takeEvents { event in
            switch event {
            case .request(let request): arrivals.append(arrival(request))
            case .streamClosed(let stream, let code):
                if waiting.remove(stream) != nil, code == .cancel { watched.change { $0.cancelled.append(stream) } }
            case .settingsAcknowledged: watched.change { $0.acknowledged += 1 }
            default: break
            }
        }
        for arrival in arrivals where !isOver {
            let reactions = script(arrival)
            watched.change { state in
                state.arrivals.append(arrival)
                state.mostWaiting[number] = max(state.mostWaiting[number] ?? 0, waiting.count)
            }
            perform(reactions, arrival.stream)
        }
    }

    private func countOpened() {
        let newest = Int(http2.lastStreamID + 1) / 2
        guard newest > opened else { return }
        watched.change { $0.opened += newest - opened }
        opened = newest
    }

    private func arrival(_ request: Request) -> ScriptedAPNs.Arrival {
        var headers: [String: String] = [:]
        request.forEachHeader { name, value in
            headers[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        requests += 1
        waiting.insert(request.stream)
        return ScriptedAPNs.Arrival(
            connection: number,
            stream: request.stream,
            number: requests,
            headers: headers,
            bodyBytes: request.bodyLength
        )
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let reactions = event as? [ScriptedAPNs.Reaction] else {
            return context.fireUserInboundEventTriggered(event)
        }
        perform(reactions, 0)
        flush()
    }

    private func perform(_ reactions: [ScriptedAPNs.Reaction], _ stream: Int32) {
        // A stream or connection that is closed meanwhile needs no reaction.
        for reaction in reactions where !isOver { try? perform(reaction, stream) }
    }

    private func perform(_ reaction: ScriptedAPNs.Reaction, _ current: Int32) throws {
        switch reaction {
        case .answer(let status, let reason, let timestamp, let stream):
            waiting.remove(stream ?? current)
            let body = reason.map { reason in
                PreparedBody("{\"reason\":\"\(reason)\"\(timestamp.map { ",\"timestamp\":\($0)" } ?? "")}".utf8)
            }
            try http2.respond(to: stream ?? current, with: PreparedResponse(status: status), body: body)
        case .reset(let code, let stream):
            waiting.remove(stream ?? current)
            try http2.reset(stream: stream ?? current, code: code)
        case .goAway(let last, let code, let debug):
            try http2.goAway(lastStreamID: last, code: code, debugData: Array(debug.utf8))
        case .maxStreams(let limit): try http2.update(maxConcurrentStreams: limit)
        case .streamWindow(let bytes): try http2.update(initialWindowSize: bytes)
        case .raw(let bytes):
            flush()
            try bytes.withUnsafeBytes { try tls.write($0) }
        case .closeNotify:
            flush()
            tls.sendCloseNotify()
        case .close:
            flush()
            end()
        case .cut:
            flush()
            isOver = true
            context?.close(promise: nil)
        case .freeze: isOver = true
        }
    }

    private func end() {
        isOver = true
        tls.sendCloseNotify()
        writeCiphertext()
        context?.close(promise: nil)
    }

    private func flush() {
        if isSecured, !isOver, greeting.garbage == nil {
            while let count = try? buffer.withUnsafeMutableBytes({ try http2.fill($0) }), count > 0 {
                try? buffer[..<count].withUnsafeBytes { try tls.write($0) }
            }
        }
        writeCiphertext()
    }

    private func writeCiphertext() {
        guard let context, tls.pendingCiphertextBytes > 0 else { return }
        var bytes = context.channel.allocator.buffer(capacity: tls.pendingCiphertextBytes)
        tls.takeCiphertext { _ = bytes.writeBytes($0) }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}
