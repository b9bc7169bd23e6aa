import CarillonClock
import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTestKit
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CarillonTransport

/// The one token for all pools of a service account; the test is the token endpoint.
struct AccessTokenSourceTests {
    /// The requests that have no answer yet, and the number of times that a pool was told of a change.
    private final class Endpoint: Sendable {
        private let loop = EmbeddedEventLoop()
        private let waiting = Mutex<[EventLoopPromise<SingleResponse>]>([])
        private let told = Mutex(0)

        @Sendable func exchange(_ body: [UInt8]) -> EventLoopFuture<SingleResponse> {
            let promise = loop.makePromise(of: SingleResponse.self)
            waiting.withLock { $0.append(promise) }
            return promise.futureResult
        }

        func answer(_ status: UInt16, _ body: String) throws {
            let promise = try #require(waiting.withLock { $0.popLast() })
            promise.succeed(SingleResponse(status: status, body: Array(body.utf8), retryAfter: nil))
        }

        /// The number of requests that have no answer yet.
        var count: Int { waiting.withLock { $0.count } }
        @Sendable func tell() { told.withLock { $0 += 1 } }
        var changes: Int { told.withLock { $0 } }
    }

    private let endpoint = Endpoint()
    private let source: AccessTokenSource

    init() throws {
        let authority = try TestAuthority()
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out google.key")
        let key = String(decoding: try authority.bytes("google.key"), as: UTF8.self)
        let file: [String: JSONValue] = [
            "type": "service_account", "project_id": "game", "private_key_id": "key1", "private_key": .text(key),
            "client_email": "sender@game.example", "token_uri": "https://localhost:1/token",
        ]
        let account = try JSONValue.encode(file, field: "").withUnsafeBytes { try ServiceAccount.read($0) }
        source = AccessTokenSource(
            account: account, key: try RSASigningKey(pem: SecretBytes(copying: Array(key.utf8))),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, exchange: endpoint.exchange)
        source.addListener(ObjectIdentifier(endpoint), endpoint.tell)
    }

    /// Returns the present time, some milliseconds later.
    private func moment(plus milliseconds: UInt64 = 0) -> Moment {
        let now = Clock.now()
        return Moment(wall: now.wall, uptime: now.uptime.later(byMilliseconds: milliseconds))
    }

    private static func token(_ text: String) -> String {
        #"{"access_token":"\#(text)","expires_in":3599,"token_type":"Bearer"}"#
    }

    private static let refusal = #"{"error":"invalid_grant","error_description":"no"}"#

    @Test func `one request serves all waiting pools`() throws {
        #expect(!source.requestTokenIfDue(at: moment()))
        #expect(!source.requestTokenIfDue(at: moment()))
        #expect(endpoint.count == 1)
        try endpoint.answer(200, Self.token("t1"))
        #expect(endpoint.changes == 1)
        #expect(source.requestTokenIfDue(at: moment()))
        let authorization = try source.authorization(at: moment())
        #expect(authorization == RequestAuthorization(value: "Bearer t1", generation: 1, isIndexed: true))
        #expect(endpoint.count == 0)
        #expect(source.remainingMilliseconds(at: moment().uptime)! > 3_500_000)
    }

    @Test func `an outage of the endpoint leaves the token in use`() throws {
        #expect(!source.requestTokenIfDue(at: moment()))
        try endpoint.answer(200, Self.token("t1"))
        // The token is near its end, so another one is requested.
        #expect(source.requestTokenIfDue(at: moment(plus: 3_550_000)))
        #expect(endpoint.count == 1)
        try endpoint.answer(503, "")
        #expect(try source.authorization(at: moment(plus: 3_550_000)).value == "Bearer t1")
        #expect(source.requestTokenIfDue(at: moment(plus: 3_560_000)))
        #expect(endpoint.count == 1)
    }

    @Test func `the authorization of a refused service account throws its refusal`() throws {
        #expect(!source.requestTokenIfDue(at: moment()))
        try endpoint.answer(400, Self.refusal)
        #expect(endpoint.changes == 1)
        #expect(source.isRefused)
        #expect(source.requestTokenIfDue(at: moment()))
        let error = #expect(throws: PoolTarget.AuthorizationError.self) { try source.authorization(at: moment()) }
        #expect(error.map { "\($0)" } == "\(PoolTarget.AuthorizationError.refused("invalid_grant: no"))")
    }

    @Test func `a token that FCM refuses is replaced once`() throws {
        #expect(!source.requestTokenIfDue(at: moment()))
        try endpoint.answer(200, Self.token("t1"))
        // This push was handed out before the token came, so it had another one.
        #expect(source.tokenRefused(handedOutAt: 0, at: moment()) == .renew)
        #expect(endpoint.count == 0)
        #expect(source.tokenRefused(handedOutAt: moment(plus: 10).uptime, at: moment()) == .renew)
        #expect(endpoint.count == 1)
        #expect(!source.requestTokenIfDue(at: moment()))
        try endpoint.answer(200, Self.token("t2"))
        #expect(try source.authorization(at: moment()).value == "Bearer t2")
        #expect(source.tokenRefused(handedOutAt: moment(plus: 10).uptime, at: moment()) == .refuseCredential)
    }

    @Test func `a token that was accepted is replaced again`() throws {
        for round in 1...3 as ClosedRange<UInt64> {
            // Some seconds lie between two tokens that are refused.
            let now = moment(plus: round * 11_000)
            #expect(!source.requestTokenIfDue(at: now))
            try endpoint.answer(200, Self.token("t\(round)"))
            source.tokenAccepted()
            #expect(source.tokenRefused(handedOutAt: now.uptime, at: now) == .renew)
        }
    }

    @Test func `a closed pool gets no report`() throws {
        source.removeListener(ObjectIdentifier(endpoint))
        #expect(!source.requestTokenIfDue(at: moment()))
        try endpoint.answer(200, Self.token("t1"))
        #expect(endpoint.changes == 0)
    }
}
