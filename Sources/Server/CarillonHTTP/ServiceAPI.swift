import CarillonCore
import CarillonGateway
import CarillonTLS
import CarillonVersion
import NIOCore
import NIOHTTP1

/// The service API: the requests of the protocol as JSON over HTTP, with an API key as bearer token.
///
/// A browser cannot use it: it has no cookies, so no page of another origin can act for anyone, and it answers no
/// preflight request.
// Safety: every use is on the loop of the port.
final class ServiceAPI: HTTPService, @unchecked Sendable {
    private let requests: RequestService
    private let description: ByteBuffer

    let commonHeaders: HTTPHeaders = [
        "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "server": "carillond",
    ]

    init(_ requests: RequestService) {
        self.requests = requests
        description = ByteBuffer(bytes: OpenAPI(requests.gateway, version: Version.number).json)
    }

    /// Judges a request by its head, before its body is read. Returns the answer if the request is refused.
    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        if head.path == "/v1/openapi.json" {
            guard head.method == .GET || head.method == .HEAD else { return .methodNotAllowed("GET") }
            return nil
        }
        guard Self.operation(of: head) != nil else { return Self.unknownPath }
        guard head.method == .POST else { return .methodNotAllowed("POST") }
        guard head.isJSON else { return .refusal(GatewayError.unsupportedMediaType) }
        guard Self.key(of: head) != nil else {
            return .refusal(GatewayError.authenticationFailed("the header authorization is Bearer and an API key"))
        }
        return nil
    }

    private static let unknownPath = HTTPResponse.refusal(
        GatewayError.notFound("requests are at /v1/, their description at /v1/openapi.json"))

    /// Returns the part of the path after `/v1/`: the name of an operation, or `events`. nil if the path begins with
    /// something else.
    private static func operation(of head: HTTPRequest) -> String? {
        head.path.removing(prefix: "/v1/").map(String.init)
    }

    private static func key(of head: HTTPRequest) -> [UInt8]? {
        guard let text = head.onlyValue(of: "authorization")?.removing(prefixInAnyCase: "bearer ") else { return nil }
        let key = Array(text.trimmed.utf8)
        return (1...256).contains(key.count) ? key : nil
    }

    /// Answers a request whose head was not refused.
    func answer(to request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        if request.path == "/v1/openapi.json" {
            return loop.makeSucceededFuture(
                HTTPResponse(.ok, headers: ["content-type": "application/json"], body: description))
        }
        guard let key = Self.key(of: request) else {
            return loop.makeSucceededFuture(.refusal(RequestService.wrongKey))
        }
        guard let name = Self.operation(of: request) else { return loop.makeSucceededFuture(Self.unknownPath) }
        let isEvents = name == "events"
        let prepared: Gateway.PreparedRequest?
        let seen: ClusterPosition?
        do throws(GatewayError) {
            seen = try Self.position(in: request)
            prepared =
                isEvents
                ? nil
                : try requests.gateway.prepare(
                    name, body: request.body, key: request.onlyValue(of: "idempotency-key"),
                    traceParent: request.onlyValue(of: "traceparent"))
        } catch {
            return loop.makeSucceededFuture(.refusal(error))
        }
        // One address cannot use the connection of another: its lines in the log would be wrong.
        let owner = "\(request.clientAddress) \(Hex.string(SHA256.hash(key)))"
        return requests.logIn(owner, key: key, clientAddress: request.clientAddress, via: "http", on: loop)
            .flatMap { [requests] connection in
                requests.awaitPosition(seen, on: loop)
                    .flatMap { () -> EventLoopFuture<HTTPResponse> in
                        guard let prepared else { return requests.events(request.body, over: connection, on: loop) }
                        return requests.run(prepared, over: connection, on: loop).map { .json($0) }
                    }
                    .flatMapError { loop.makeSucceededFuture(.refusal($0)) }
                    .map { $0.with(requests.position.map { $0.raised(to: seen) }) }
            }
            .flatMapError { loop.makeSucceededFuture(.refusal($0)) }
    }

    /// Returns the position that the client has seen; nil if the request gives none.
    private static func position(in request: HTTPRequest) throws(GatewayError) -> ClusterPosition? {
        guard request.headers.contains(name: ClusterPosition.headerName) else { return nil }
        return try ClusterPosition(header: request.onlyValue(of: ClusterPosition.headerName) ?? "")
    }
}

extension HTTPResponse {
    /// Returns the same answer with the position of the server in the log of its cluster; unchanged for nil.
    fileprivate func with(_ position: ClusterPosition?) -> HTTPResponse {
        guard let position else { return self }
        var answer = self
        answer.headers.add(name: ClusterPosition.headerName, value: position.description)
        return answer
    }
}
