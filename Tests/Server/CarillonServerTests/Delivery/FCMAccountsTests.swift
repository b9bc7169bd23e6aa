import CarillonClock
import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTestKit
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonServer
@testable import CarillonTransport

/// The accounts that pools to FCM share, also after a reload; the test is the token endpoint.
struct FCMAccountsTests {
    private let accounts: FCMAccounts
    private let account: ServiceAccount
    private let key: RSASigningKey
    private let tls: TLSContext
    private let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)

    init() throws {
        let loop = EmbeddedEventLoop()
        accounts = FCMAccounts(loop: loop, logger: RecordingLog().logger) { _ in
            // Google's answer for a key that was removed.
            let refusal = Array(#"{"error": "invalid_grant", "error_description": "Invalid JWT Signature."}"#.utf8)
            return loop.makeSucceededFuture(SingleResponse(status: 400, body: refusal, retryAfter: nil))
        }
        let authority = try TestAuthority()
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out google.key")
        let pem = String(decoding: try authority.bytes("google.key"), as: UTF8.self)
        let file: [String: JSONValue] = [
            "type": "service_account", "project_id": "game", "private_key_id": "key1", "private_key": .text(pem),
            "client_email": "sender@game.example", "token_uri": "https://localhost:1/token",
        ]
        account = try JSONValue.encode(file, field: "").withUnsafeBytes { try ServiceAccount.read($0) }
        key = try RSASigningKey(pem: SecretBytes(copying: Array(pem.utf8)))
        tls = try TLSContext.client(trust: .system)
    }

    /// Returns the tokens of a pool that connects to `host`.
    private func tokens(host: String = "fcm.googleapis.com") -> AccessTokenSource {
        let pool = Deployment.PoolSettings(
            fingerprint: [1, 2, 3], host: host, port: 443, proxy: nil, proxyCredentials: nil, authoritiesFile: "")
        return accounts.tokens(of: account, key: key, pool: pool, tls: tls)
    }

    @Test func `pools of an account share its tokens`() {
        let first = tokens()
        let second = tokens()
        let other = tokens(host: "proxy.example")
        #expect(first === second)
        #expect(first !== other, "it has another path")
    }

    /// The operator has replaced the key at Google and sends SIGHUP: the refusal of before must not hold.
    @Test func `an account that was refused is asked again by the next pool`() {
        let first = tokens()
        #expect(!first.requestTokenIfDue(at: now))
        #expect(first.isRefused)
        let second = tokens()
        #expect(second !== first)
        #expect(!second.isRefused)
        #expect(tokens() === second)
    }

    @Test func `the key of an account does not outlive its pools`() {
        weak var tokens: AccessTokenSource?
        do {
            let pool = self.tokens()
            tokens = pool
            #expect(tokens != nil)
            withExtendedLifetime(pool) {}
        }
        #expect(tokens == nil)
    }

    // MARK: Quotas

    @Test func `a project has one quota whatever pool uses it`() {
        let game = quota(of: "game")
        let again = quota(of: "game")
        let other = quota(of: "other")
        #expect(game === again)
        #expect(game !== other)
        let defaults = ProjectQuota(now: Clock.uptime())
        #expect(game.currentMessagesPerMinute == defaults.currentMessagesPerMinute, "Google's default")
    }

    @Test func `a reload changes the quota of the connections that there are`() {
        let before = quota(of: "game")
        #expect(before.currentMessagesPerMinute > 600)
        _ = quota(of: "game", 600)
        #expect(before.currentMessagesPerMinute <= 600)
    }

    /// A reload a second must not let a server send more than Google admits.
    @Test func `a quota that is used up stays used up after a reload`() {
        let before = quota(of: "game", 6_000)
        let now = Uptime(milliseconds: 1)
        let taken = before.take(upTo: .max, at: now).count
        #expect(taken > 0)
        #expect(quota(of: "game", 6_000).take(upTo: .max, at: now).count == 0)
    }

    private func quota(of project: String, _ messagesPerMinute: UInt32? = nil) -> ProjectQuota {
        accounts.quota(of: project, messagesPerMinute: messagesPerMinute)
    }
}
