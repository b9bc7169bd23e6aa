import NIOCore
import NIOHTTP1

/// One connection of HTTP: collects a request within its bounds, gives it to the service, and writes the answer.
///
/// Requests of a connection are served one at a time: NIO's pipelining handler delivers the next one after the answer.
final class HTTPHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The state of the request that the connection serves.
    private enum State {
        /// No request has begun.
        case idle
        /// The body of a request comes.
        case receiving(HTTPRequest, head: HTTPRequestHead)
        /// The rest of a request is dropped, because its answer is written already.
        case dropping
        /// The service has the request.
        case answering
        /// Lines are written until one side ends them.
        case streaming(LineStream)
        /// The connection reads nothing more. It is closed as soon as the last answer is written.
        case closed
    }

    /// How long the rest of a refused request is read and dropped.
    private static let dropTime = TimeAmount.seconds(2)

    private let listener: HTTPListener
    private let limits: HTTPLimits
    private var state = State.idle
    private var timer: Scheduled<Void>?
    private var stallTimer: Scheduled<Void>?
    private var heldBytes = 0

    init(_ listener: HTTPListener) {
        self.listener = listener
        limits = listener.limits
    }

    /// True between requests: the connection can give way to a new one.
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// True while lines are written.
    var isStreaming: Bool { if case .streaming = state { true } else { false } }

    func handlerAdded(context: ChannelHandlerContext) { setDeadline(after: limits.requestTimeout, in: context) }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        stallTimer?.cancel()
        releaseBody()
        if case .streaming(let stream) = state { stream.onClose?() }
        state = .closed
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Closes the connection if nothing happens in time.
    private func setDeadline(after time: TimeAmount?, in context: ChannelHandlerContext) {
        timer?.cancel()
        guard let time else {
            timer = nil
            return
        }
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func releaseBody() {
        listener.heldBodyBytes -= heldBytes
        heldBytes = 0
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .idle): begin(head, in: context)
        case (.body(let bytes), .receiving(var request, let head)):
            heldBytes += bytes.readableBytes
            listener.heldBodyBytes += bytes.readableBytes
            guard heldBytes <= limits.bodyBytes, listener.heldBodyBytes <= limits.totalBodyBytes else {
                let isOwn = heldBytes > limits.bodyBytes
                return refuse(
                    .text(
                        isOwn ? "the body is too long" : "too many bodies at once",
                        status: isOwn ? .payloadTooLarge : .serviceUnavailable),
                    to: head, in: context)
            }
            // The request is taken out of the state, so that its body is not copied.
            state = .dropping
            request.body.append(contentsOf: bytes.readableBytesView)
            state = .receiving(request, head: head)
        case (.end, .receiving(let request, let head)): answer(request, to: head, in: context)
        case (.end, .dropping): context.close(promise: nil)
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead, in context: ChannelHandlerContext) {
        setDeadline(after: limits.requestTimeout, in: context)
        let bytes = head.uri.utf8.count + head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard head.headers.count <= limits.headerFields, bytes <= limits.headerBytes else {
            return refuse(.text("the head is too long", status: .requestHeaderFieldsTooLarge), to: head, in: context)
        }
        guard head.version == .http1_1, head.uri.hasPrefix("/") else {
            return refuse(.text("HTTP/1.1 with a path is spoken", status: .badRequest), to: head, in: context)
        }
        let request = HTTPRequest(
            method: head.method, path: String(head.uri.prefix { $0 != "?" }), headers: head.headers,
            clientAddress: context.remoteAddress?.ipAddress ?? "")
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limits.bodyBytes {
            return refuse(.text("the body is too long", status: .payloadTooLarge), to: head, in: context)
        }
        if let refusal = listener.service.refusal(of: request) { return refuse(refusal, to: head, in: context) }
        state = .receiving(request, head: head)
    }

    /// Answers before the body has come, and closes: the rest of the body must not be read as a request.
    private func refuse(_ answer: HTTPResponse, to head: HTTPRequestHead, in context: ChannelHandlerContext) {
        state = .dropping
        releaseBody()
        write(answer, to: head, keepsAlive: false, in: context)
    }

    private func answer(_ request: HTTPRequest, to head: HTTPRequestHead, in context: ChannelHandlerContext) {
        state = .answering
        setDeadline(after: limits.answerTimeout, in: context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        listener.service.answer(to: request, on: context.eventLoop).whenComplete { result in
            let (handler, context) = bound.value
            handler.releaseBody()
            guard case .answering = handler.state else {
                // The client has gone: a stream has no reader.
                if case .success(let answer) = result, case .lines(let stream) = answer.body { stream.onClose?() }
                return
            }
            switch result {
            case .success(let answer): handler.write(answer, to: head, keepsAlive: head.isKeepAlive, in: context)
            case .failure:
                handler.write(
                    .text("the request has failed", status: .internalServerError), to: head, keepsAlive: false,
                    in: context)
            }
        }
    }

    // MARK: Writing

    private func write(
        _ answer: HTTPResponse, to head: HTTPRequestHead, keepsAlive: Bool, in context: ChannelHandlerContext
    ) {
        setDeadline(after: nil, in: context)
        var headers = answer.headers
        for (name, value) in listener.service.commonHeaders where !headers.contains(name: name) {
            headers.add(name: name, value: value)
        }
        switch answer.body {
        case .bytes(let bytes):
            headers.replaceOrAdd(name: "content-length", value: "\(bytes.readableBytes)")
            if !keepsAlive { headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers))),
                promise: nil)
            if head.method != .HEAD, bytes.readableBytes > 0 {
                context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            }
            end(keepsAlive: keepsAlive, in: context)
        case .lines(let stream):
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers))),
                promise: nil)
            state = .streaming(stream)
            follow(stream, in: context)
        }
    }

    /// Ends the answer. Then the connection waits for the next request, or closes.
    ///
    /// After the answer to a refused request it goes on dropping the body, for `dropTime` at most: a peer that still
    /// sends would lose the answer if the connection ended at once.
    private func end(keepsAlive: Bool, in context: ChannelHandlerContext) {
        let channel = context.channel
        let stall = context.eventLoop.scheduleTask(in: limits.writeTimeout) { channel.close(promise: nil) }
        let closesWhenWritten: Bool
        if case .dropping = state {
            closesWhenWritten = false
            setDeadline(after: Self.dropTime, in: context)
        } else if keepsAlive, !listener.isClosing {
            closesWhenWritten = false
            state = .idle
            setDeadline(after: limits.idleTimeout, in: context)
        } else {
            closesWhenWritten = true
            state = .closed
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            stall.cancel()
            if closesWhenWritten { channel.close(mode: .all, promise: nil) }
        }
    }

    private func follow(_ stream: LineStream, in context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        stream.isWritable = { bound.value.1.channel.isWritable }
        stream.onEnd = {
            let (handler, context) = bound.value
            guard case .streaming = handler.state else { return }
            handler.state = .answering
            handler.end(keepsAlive: false, in: context)
        }
        stream.onLines = { lines in
            let (handler, context) = bound.value
            guard case .streaming = handler.state else { return }
            context.writeAndFlush(handler.wrapOutboundOut(.body(.byteBuffer(lines))), promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            stallTimer?.cancel()
            stallTimer = nil
            if case .streaming(let stream) = state { stream.onDrain?() }
        } else if stallTimer == nil {
            let channel = context.channel
            stallTimer = context.eventLoop.scheduleTask(in: limits.writeTimeout) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }
}
