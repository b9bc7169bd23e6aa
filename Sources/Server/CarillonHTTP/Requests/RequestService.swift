import CarillonClock
import CarillonCore
import CarillonGateway
import CarillonTLS
import NIOCore
import NIOHTTP1

/// The requests in JSON, over connections within the process, for the service API and for the console.
// Safety: every use is on the loop of the ports.
final class RequestService: @unchecked Sendable {
    let gateway = Gateway()
    let connectionPool: InProcessConnectionPool
    private let server: any HTTPBackend
    private var failedKeys = FailedKeys()

    init(_ server: any HTTPBackend, on loop: any EventLoop) {
        self.server = server
        connectionPool = InProcessConnectionPool(server, gateway: gateway, on: loop)
    }

    /// Returns the connection of a key that is tried now. A wrong key counts against the client's address.
    ///
    /// - Parameters:
    ///   - owner: the session or client that shares the connection.
    ///   - via: the name of the port that the client has used, for the log.
    func logIn(
        _ owner: String, key: [UInt8], clientAddress: String, via: String, on loop: any EventLoop
    ) -> EventLoopFuture<InProcessConnection> {
        // A good key is not held up by the wrong keys of others behind the same address.
        let wait = connectionPool.isOpen(owner) ? 0 : failedKeys.waitMilliseconds(of: clientAddress, at: Clock.uptime())
        guard wait == 0 else {
            let error = GatewayError(.rateLimited, message: "too many wrong keys: wait")
            return loop.makeFailedFuture(error.with(retryAfterMilliseconds: wait))
        }
        guard (1...256).contains(key.count) else { return loop.makeFailedFuture(Self.wrongKey) }
        let connection = connectionPool.connection(
            of: owner, key: key, clientAddress: "\(via) \(clientAddress)")
        connection.whenFailure { [self] error in
            guard let error = error as? GatewayError, error.code == ErrorCode.authenticationFailed.name else { return }
            failedKeys.keyRefused(from: clientAddress, at: Clock.uptime())
        }
        return connection
    }

    static let wrongKey = GatewayError.authenticationFailed("the key is not known")

    // MARK: Positions

    /// The position of the server in the log of its cluster: every change that was answered is at or before it.
    var position: ClusterPosition? { server.position }

    /// Waits until the server has applied the shared log up to a position that a client has seen; fails with BEHIND
    /// when the server is not there in a bounded time. A position of another cluster is ignored.
    func awaitPosition(_ seen: ClusterPosition?, on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard let seen, let own = server.position, own.cluster == seen.cluster, own.number < seen.number else {
            return loop.makeSucceededVoidFuture()
        }
        let reached = loop.makePromise(of: Void.self)
        server.awaitPosition(seen.number) { isReached in
            if isReached { reached.succeed() } else { reached.fail(GatewayError.positionNotReached) }
        }
        return reached.futureResult
    }

    // MARK: Requests

    /// Sends a prepared request; the result is the answer as JSON.
    func run(_ prepared: Gateway.PreparedRequest, over connection: InProcessConnection, on loop: any EventLoop)
        -> EventLoopFuture<[UInt8]>
    {
        connection.call(prepared.opcode, payload: prepared.payload, on: loop).flatMapThrowing { [gateway] payload in
            try gateway.answer(to: prepared.opcode, payload: payload)
        }
    }

    /// Begins a stream of events.
    func events(_ body: [UInt8], over connection: InProcessConnection, on loop: any EventLoop) -> EventLoopFuture<
        HTTPResponse
    > {
        do throws(GatewayError) {
            let prepared = try gateway.prepareEvents(body: body)
            let accepted = loop.makePromise(of: Void.self)
            let stream = EventLineStream(accepted: accepted, on: loop)
            connection.subscribe(prepared.payload, to: stream)
            return accepted.futureResult.map {
                var answer = HTTPResponse(
                    .ok, headers: ["content-type": "application/x-ndjson", "cache-control": "no-store"])
                answer.body = .lines(stream.lines)
                return answer
            }
        } catch {
            return loop.makeFailedFuture(error)
        }
    }
}

extension HTTPResponse {
    /// Makes the response for an error; one that is no `GatewayError` becomes `INTERNAL` with an unknown effect.
    static func refusal(_ error: any Error) -> HTTPResponse {
        let error =
            error as? GatewayError
            ?? GatewayError(.internal, message: "the request has failed").with(effect: .unknown)
        var answer = HTTPResponse.json(error.json, status: error.status)
        if let wait = error.retryAfterMilliseconds, error.status == 429 || error.status == 503 {
            answer.headers.add(name: "retry-after", value: "\(max(1, (wait + 999) / 1_000))")
        }
        if error.status == 401 { answer.headers.add(name: "www-authenticate", value: "Bearer realm=\"carillon\"") }
        return answer
    }
}
