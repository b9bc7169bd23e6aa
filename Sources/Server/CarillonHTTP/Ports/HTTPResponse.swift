import CarillonGateway
import NIOCore
import NIOHTTP1

/// The answer of a service to a request. `HTTPHandler` writes it, and adds the fields that every answer has.
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

    /// Makes a response whose body is a JSON object.
    static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            HTTPResponseStatus(statusCode: status),
            headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: ByteBuffer(bytes: bytes))
    }

    /// Makes a response whose body is a line of text.
    static func text(_ text: String, status: HTTPResponseStatus) -> HTTPResponse {
        HTTPResponse(
            status, headers: ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"],
            body: ByteBuffer(string: text + "\n"))
    }

    /// Makes the refusal of a method that the path does not have.
    ///
    /// - Parameter allowed: the methods that it has, for the header `allow`.
    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        var answer = refusal(GatewayError.methodNotAllowed(allowed))
        answer.headers.add(name: "allow", value: allowed)
        return answer
    }
}

/// Lines that a subscription of events writes to a connected reader. Confined to the loop of the port.
// Safety: the port has one loop, and every use is on it.
final class LineStream: @unchecked Sendable {
    /// Writes bytes. It is set once the head of the answer is written.
    var onLines: ((ByteBuffer) -> Void)? {
        didSet { deliver() }
    }
    /// Called when the stream ends by itself.
    var onEnd: (() -> Void)? {
        didSet { if hasEnded { onEnd?() } }
    }
    /// Returns true if the reader can take more: few bytes wait for it.
    var isWritable: () -> Bool = { true }
    /// Called when the reader can take more.
    var onDrain: (() -> Void)?
    /// Called when the reader is gone.
    var onClose: (() -> Void)?
    private var waiting = ByteBuffer()
    private var hasEnded = false

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

    func end() {
        hasEnded = true
        onEnd?()
    }
}
