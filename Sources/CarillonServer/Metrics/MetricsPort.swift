import CarillonTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP port for those who watch: `/metrics`, `/healthz` and `/readyz`.
///
/// It has a thread of its own. Each connection gets one answer and `limit` seconds; a slow or hostile one costs itself.
final class MetricsPort: Sendable {
    /// Connections at a time; one more is closed at once.
    static let connectionLimit = 32
    /// From the first byte to the last.
    static let limit = TimeAmount.seconds(10)
    /// The longest body of a request, which nobody needs.
    static let bodyByteLimit = 4_096

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let health: Health
    private let text: @Sendable (any EventLoop) -> EventLoopFuture<String>
    private let listening = Mutex<(any Channel)?>(nil)
    private let connections = Atomic<Int>(0)

    /// - Parameter text: makes the answer to `/metrics`.
    init(health: Health, text: @escaping @Sendable (any EventLoop) -> EventLoopFuture<String>) {
        self.health = health
        self.text = text
    }

    /// Listens, and returns the port.
    func bind(host: String, port: Int) async throws(SettingsError) -> Int {
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel) }
                }
                .bind(host: host, port: port).get()
            listening.withLock { $0 = channel }
            return channel.localAddress?.port ?? port
        } catch {
            throw SettingsError(listeningOn: "\(host):\(port)", of: .metricsHost, .metricsPort, because: error)
        }
    }

    private func accept(_ channel: any Channel) throws {
        let isOneTooMany = connections.wrappingAdd(1, ordering: .relaxed).newValue > Self.connectionLimit
        channel.closeFuture.whenComplete { [self] _ in connections.wrappingSubtract(1, ordering: .relaxed) }
        guard !isOneTooMany else { return channel.close(promise: nil) }
        let deadline = channel.eventLoop.scheduleTask(in: Self.limit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: true)
        try channel.pipeline.syncOperations.addHandler(MetricsHandler(health: health, text: text))
    }

    /// Closes the port.
    func close() async {
        let channel = listening.withLock { $0 }
        try? await channel?.close().get()
        try? await group.shutdownGracefully()
    }
}

/// Answers one request and closes.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let health: Health
    private let text: @Sendable (any EventLoop) -> EventLoopFuture<String>
    private var request: HTTPRequestHead?
    private var bodyBytes = 0
    private var hasAnswered = false

    init(health: Health, text: @escaping @Sendable (any EventLoop) -> EventLoopFuture<String>) {
        self.health = health
        self.text = text
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // A second request on the connection: the first answer said that there will be none.
            if request == nil { request = head }
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > MetricsPort.bodyByteLimit { context.close(promise: nil) }
        case .end:
            if let request, !hasAnswered {
                hasAnswered = true
                answer(request, context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard request.method == .GET || request.method == .HEAD else {
            return write(.methodNotAllowed, "only GET\n", request, context)
        }
        switch request.uri.prefix(while: { $0 != "?" }) {
        case "/metrics":
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            text(context.eventLoop).whenComplete { result in
                let (handler, context) = bound.value
                switch result {
                case .success(let text): handler.write(.ok, text, request, context)
                case .failure: handler.write(.internalServerError, "the figures cannot be had\n", request, context)
                }
            }
        case "/healthz":
            write(health.phase == .failed ? .serviceUnavailable : .ok, "\(health.phase.rawValue)\n", request, context)
        case "/readyz":
            write(health.phase == .ready ? .ok : .serviceUnavailable, "\(health.phase.rawValue)\n", request, context)
        default:
            write(.notFound, "/metrics, /healthz or /readyz\n", request, context)
        }
    }

    private func write(
        _ status: HTTPResponseStatus, _ text: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        let isText = request.uri.hasPrefix("/metrics") && status == .ok
        let headers: HTTPHeaders = [
            "content-type": isText ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
            "content-length": "\(text.utf8.count)", "cache-control": "no-store", "connection": "close",
        ]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
