import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import CarillonHTTP

/// A port whose service and clock are the test's. Its connections have no sockets and no bytes: the test gives the
/// parts of requests, and reads the parts of answers in words.
final class ScriptedPort {
    /// A service that keeps the requests, and answers when the test says so.
    // Safety: a test runs on one thread.
    final class Service: HTTPService, @unchecked Sendable {
        /// The requests that have come whole, in words: method, path and body.
        var requests: [String] = []
        /// The requests without an answer, the oldest first.
        var waiting: [EventLoopPromise<HTTPResponse>] = []

        /// Refuses `/secret` before its body has come.
        func refusal(of head: HTTPRequest) -> HTTPResponse? {
            head.path == "/secret" ? .text("no", status: .forbidden) : nil
        }

        func answer(to request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
            requests.append("\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
            waiting.append(loop.makePromise())
            return waiting.last!.futureResult
        }

        let commonHeaders: HTTPHeaders = ["x-frame-options": "DENY"]
    }

    struct Connection {
        let handler: HTTPHandler
        let channel: EmbeddedChannel

        /// Receives a head.
        func head(_ method: HTTPMethod, _ path: String, fields headers: HTTPHeaders = [:]) throws {
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
            try channel.writeInbound(HTTPServerRequestPart.head(head))
        }

        /// Receives a piece of a body.
        func body(_ text: String) throws {
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: text)))
        }

        /// Receives the end of a request.
        func end() throws { try channel.writeInbound(HTTPServerRequestPart.end(nil)) }

        /// Returns the output since the last call: `status field…`, the text of the body in quotes, `end`; and
        /// `closed`.
        func written(fields: String...) throws -> [String] {
            var words: [String] = []
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                switch part {
                case .head(let head):
                    let values = fields.compactMap { name in head.headers.first(name: name).map { "\(name)=\($0)" } }
                    words.append((["\(head.status.code)"] + values).joined(separator: " "))
                case .body(.byteBuffer(let bytes)): words.append("'\(String(buffer: bytes))'")
                case .body: words.append("a file")
                case .end: words.append("end")
                }
            }
            return channel.isActive ? words : words + ["closed"]
        }
    }

    let service = Service()
    let listener: HTTPListener
    private let loop = EmbeddedEventLoop()

    /// Fails the requests that have no answer: a promise that nothing keeps is a fault of the test.
    deinit { while !service.waiting.isEmpty { fail() } }

    init(_ limits: HTTPLimits = HTTPLimits()) { listener = HTTPListener(service, limits: limits, tls: nil, on: loop) }

    func connect() throws -> Connection {
        let handler = HTTPHandler(listener)
        let channel = EmbeddedChannel(handler: handler, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "10.0.0.7", port: 80)).wait()
        return Connection(handler: handler, channel: channel)
    }

    /// Answers the oldest request.
    func answer(_ answer: HTTPResponse) {
        service.waiting.removeFirst().succeed(answer)
        loop.run()
    }

    /// Answers the oldest request with a text.
    func answer(_ text: String) { answer(HTTPResponse(.ok, body: ByteBuffer(string: text))) }

    /// Lets the oldest request fail.
    func fail() {
        service.waiting.removeFirst().fail(ChannelError.eof)
        loop.run()
    }

    func advance(_ time: TimeAmount) { loop.advanceTime(by: time) }
}
