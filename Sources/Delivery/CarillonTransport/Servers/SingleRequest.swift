import CarillonCore
package import CarillonHTTP2
import CarillonProvider
package import CarillonTLS
package import NIOCore

/// One request over an HTTP/2 connection of its own, which is closed after it: for requests that are rare.
package struct SingleRequest: Sendable {
    /// The server to connect to, and the way to it through the network.
    package struct Endpoint: Sendable {
        /// The host name to connect to, which the certificate must have.
        package var host: String
        package var port: Int
        package var networkPath: NetworkPath
        /// The client context: ALPN `h2` required.
        package var tls: TLSContext

        package init(host: String, port: Int, networkPath: NetworkPath = .direct, tls: TLSContext) {
            self.host = host
            self.port = port
            self.networkPath = networkPath
            self.tls = tls
        }
    }

    /// The reason why no answer came.
    enum ExchangeError: Error, CustomStringConvertible {
        case timeout
        /// The connection ended before the answer.
        case connectionClosed
        /// The stream ended before a whole answer, with this error code: by RST_STREAM, or because a GOAWAY refused it.
        case reset(UInt32)
        case malformed
        /// The stream ended before the answer was whole.
        case cutOff

        var description: String {
            switch self {
            case .timeout: "no answer in time"
            case .connectionClosed: "the connection ended before the answer"
            case .reset(let code): "the request was reset with the code \(code)"
            case .malformed: "the answer is not valid HTTP"
            case .cutOff: "the answer was cut off"
            }
        }
    }

    private let endpoint: Endpoint
    private let connector: Connector
    private let timeout: TimeAmount

    /// Prepares requests to an endpoint: each `post` opens a connection.
    ///
    /// - Parameter timeout: the time for one whole exchange.
    package init(to endpoint: Endpoint, timeout: TimeAmount) {
        self.endpoint = endpoint
        self.timeout = timeout
        connector = Connector(
            host: endpoint.host, port: endpoint.port, networkPath: endpoint.networkPath,
            timeoutMilliseconds: UInt64(max(0, timeout.nanoseconds / 1_000_000)))
    }

    /// Sends a POST. The future succeeds with any answer, and fails if no answer comes.
    package func post(
        path: String, contentType: String, body: [UInt8], on loop: any EventLoop
    ) -> EventLoopFuture<SingleResponse> {
        let promise = loop.makePromise(of: SingleResponse.self)
        let timeoutTask = loop.scheduleTask(in: timeout) { promise.fail(ExchangeError.timeout) }
        promise.futureResult.whenComplete { _ in timeoutTask.cancel() }
        connector.connect(on: loop).whenComplete { result in
            do {
                let channel = try result.get()
                let handler = try SingleRequestHandler(
                    tls: endpoint.tls, serverName: endpoint.host, path: path,
                    headers: PreparedHeaders(
                        authority: authority,
                        fields: [HeaderField("content-type", contentType, indexing: .never)]),
                    body: PreparedBody(body), promise: promise)
                promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch {
                promise.fail(error)
            }
        }
        return promise.futureResult
    }

    private var authority: String {
        endpoint.port == 443 ? endpoint.host : "\(endpoint.host):\(endpoint.port)"
    }
}

/// The channel handler of a `SingleRequest`: TLS, SETTINGS, the request, its answer.
private final class SingleRequestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let secureHTTP2: SecureHTTP2
    private let path: String
    private let headers: PreparedHeaders
    private let body: PreparedBody
    private let promise: EventLoopPromise<SingleResponse>
    private var isSubmitted = false

    init(
        tls: TLSContext, serverName: String, path: String, headers: PreparedHeaders, body: PreparedBody,
        promise: EventLoopPromise<SingleResponse>
    ) throws(TLSError) {
        secureHTTP2 = try SecureHTTP2(tls, serverName: serverName)
        self.path = path
        self.headers = headers
        self.body = body
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        perform(context) { _ = try secureHTTP2.advanceHandshake() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        perform(context) {
            try secureHTTP2.receive(bytes)
            if secureHTTP2.http2 == nil { _ = try secureHTTP2.advanceHandshake() }
            try read()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if secureHTTP2.channelBecameWritable() { perform(context) {} }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(SingleRequest.ExchangeError.connectionClosed)
        secureHTTP2.http2?.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

    /// Takes a step, and writes what it has to send.
    private func perform(_ context: ChannelHandlerContext, _ step: () throws -> Void) {
        do { try step() } catch { promise.fail(error) }
        // The first SETTINGS submit the request: before the flush.
        handleEvents()
        _ = secureHTTP2.flush(to: context) { promise.fail($0) }
        handleEvents()
    }

    private func read() throws {
        while let http2 = secureHTTP2.http2, case .more = try secureHTTP2.read() {
            if http2.hasEvents { handleEvents() }
        }
    }

    private func handleEvents() {
        secureHTTP2.http2?.takeEvents { event, bytes in
            switch event {
            case .settings: submit()
            case .streamClosed(let end):
                if let error = Self.error(of: end) { return promise.fail(error) }
                promise.succeed(SingleResponse(status: end.status, body: Array(bytes), retryAfter: end.retryAfter))
            case .answerField, .settingsAcknowledged, .goAway, .pingAcknowledged: break
            }
        }
    }

    /// Returns the reason why the end of the stream is no whole and valid answer; nil if it is one.
    private static func error(of end: StreamEnd) -> SingleRequest.ExchangeError? {
        if end.isMalformed { return .malformed }
        guard end.status == 0 || !end.isComplete else { return nil }
        return end.errorCode == .noError ? .cutOff : .reset(end.errorCode.rawValue)
    }

    private func submit() {
        guard !isSubmitted, let http2 = secureHTTP2.http2, http2.availableStreams > 0 else { return }
        isSubmitted = true
        do {
            _ = try Array(path.utf8).withUnsafeBytes { path in
                try http2.submit(headers: headers, path: path, body: body, tag: 1)
            }
        } catch {
            promise.fail(error)
        }
    }
}

/// The answer to a single request.
package struct SingleResponse: Sendable {
    /// The final `:status`.
    package var status: UInt16
    /// The body, at most 16 KiB of it.
    package var body: [UInt8]
    /// The header `retry-after`; nil if the answer has none that can be read.
    package var retryAfter: RetryAfter?
}
