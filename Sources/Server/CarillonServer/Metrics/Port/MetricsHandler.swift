import NIOCore
import NIOHTTP1

/// The handler of one HTTP request, which closes the connection after the answer.
final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let health: Health
    private let metricsText: @Sendable (any EventLoop) -> EventLoopFuture<String>
    private let onRequest: () -> Void
    private var request: HTTPRequestHead?
    private var bodyBytes = 0
    private var hasAnswered = false

    /// Makes the handler of one connection.
    ///
    /// - Parameter onRequest: called when the whole request is there.
    init(
        health: Health, metricsText: @escaping @Sendable (any EventLoop) -> EventLoopFuture<String>,
        onRequest: @escaping () -> Void
    ) {
        self.health = health
        self.metricsText = metricsText
        self.onRequest = onRequest
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // A second request is ignored: the answer to the first says that the connection closes.
            if request == nil { request = head }
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > MetricsPort.maximumBodyBytes {
                // The end of the request may have been read with it: no answer is made.
                hasAnswered = true
                context.close(promise: nil)
            }
        case .end:
            if let request, !hasAnswered {
                hasAnswered = true
                onRequest()
                answer(request, in: context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, in context: ChannelHandlerContext) {
        guard request.method == .GET || request.method == .HEAD else {
            return write(.methodNotAllowed, text: "only GET\n", to: request, in: context)
        }
        switch request.uri.prefix(while: { $0 != "?" }) {
        case "/metrics":
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            metricsText(context.eventLoop).whenComplete { result in
                let (handler, context) = bound.value
                switch result {
                case .success(let text): handler.write(.ok, text: text, to: request, in: context)
                case .failure:
                    handler.write(.internalServerError, text: "the metrics cannot be read\n", to: request, in: context)
                }
            }
        case "/healthz":
            write(
                health.phase == .failed ? .serviceUnavailable : .ok, text: "\(health.phase.rawValue)\n", to: request,
                in: context)
        case "/readyz":
            // Clients are served although pushes wait: a load balancer must not take the server out for that.
            let reason = health.reasonNotReady
            let lines = [reason ?? "ready"] + health.warnings.map { "warning: \($0)" }
            write(
                reason == nil ? .ok : .serviceUnavailable, text: lines.map { $0 + "\n" }.joined(), to: request,
                in: context)
        default:
            write(.notFound, text: "/metrics, /healthz or /readyz\n", to: request, in: context)
        }
    }

    private func write(
        _ status: HTTPResponseStatus, text: String, to request: HTTPRequestHead, in context: ChannelHandlerContext
    ) {
        let isPrometheusText = request.uri.hasPrefix("/metrics") && status == .ok
        let headers: HTTPHeaders = [
            "content-type": isPrometheusText ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
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
