import CarillonGateway
import NIOCore
import NIOHTTP1

/// A whole request of HTTP, with its body.
struct HTTPRequest: Sendable {
    var method: HTTPMethod
    /// The path without the query.
    var path: String
    /// The fields of the head.
    var headers: HTTPHeaders
    var body: [UInt8] = []
    /// The IP address of the peer.
    var address: String

    /// The only value of a field; nil if there is none, or if there are several.
    func only(_ name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values[0] : nil
    }

    /// True if the head says that the body is JSON. curl sends another type by default: a form, which a page of another
    /// origin could send as well.
    var isJSON: Bool {
        let type = only("content-type")?.lowercased().split(separator: ";").first.map(String.init) ?? ""
        return type.trimmed == "application/json"
    }
}

extension StringProtocol {
    /// The text without the spaces and tabs at both ends.
    var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(String(start.reversed()).drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// An answer of HTTP.
struct HTTPResponse: Sendable {
    var status: HTTPResponseStatus
    /// The fields of the head, without the length of the body.
    var headers: HTTPHeaders
    var body: Body

    /// A body: whole, or lines that come with time.
    enum Body: Sendable {
        case bytes(ByteBuffer)
        case lines(LineStream)
    }

    init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }

    /// An answer with a JSON object.
    static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            HTTPResponseStatus(statusCode: status),
            headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: ByteBuffer(bytes: bytes))
    }

    /// An answer with a line of text.
    static func text(_ text: String, status: HTTPResponseStatus) -> HTTPResponse {
        HTTPResponse(
            status, headers: ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"],
            body: ByteBuffer(string: text + "\n"))
    }

    /// The refusal of a method that the path does not have.
    ///
    /// - Parameter allowed: the methods that it has, for the header `allow`.
    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        var answer = refusal(GatewayError.methodNotAllowed(allowed))
        answer.headers.add(name: "allow", value: allowed)
        return answer
    }
}

/// What serves the requests of a port. It runs on the loop of the port.
protocol HTTPService: AnyObject, Sendable {
    /// The answer to the head alone, if the request is refused whatever its body is; nil if the body is wanted.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// The answer to a whole request.
    func answer(to request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse>
    /// The fields that every answer of the port has.
    var commonHeaders: HTTPHeaders { get }
}

/// Lines that a subscription of events writes to a connected reader. Confined to the loop of the port.
// Safety: the port has one loop, and every use is on it.
final class LineStream: @unchecked Sendable {
    /// Called with bytes to write, once the head of the answer is written.
    var onLines: ((ByteBuffer) -> Void)? {
        didSet { deliver() }
    }
    /// Called when the stream ends by itself.
    var onEnd: (() -> Void)? {
        didSet { if hasEnded { onEnd?() } }
    }
    /// False while the reader has bytes to take.
    var isWritable: () -> Bool = { true }
    /// Called when the reader can take more.
    var onDrain: (() -> Void)?
    /// Called when the reader is gone.
    var onClose: (() -> Void)?
    private var waiting = ByteBuffer()
    private var hasEnded = false

    /// Writes bytes.
    func write(_ bytes: [UInt8]) {
        waiting.writeBytes(bytes)
        deliver()
    }

    private func deliver() {
        guard let onLines, waiting.readableBytes > 0 else { return }
        let lines = waiting
        waiting = ByteBuffer()
        onLines(lines)
    }

    /// Ends the stream.
    func end() {
        hasEnded = true
        onEnd?()
    }
}
