import CarillonGateway
import NIOCore
import NIOHTTP1

/// A response of HTTP.
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
