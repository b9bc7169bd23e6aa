import CarillonClock
import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport
import Logging
import NIOCore
import Synchronization

/// The access tokens of service accounts, and the quotas of Firebase projects, which pools to FCM share. They outlive a
/// pool: a pool that replaces another keeps its token and its quota.
final class FCMAccounts: Sendable {
    /// A source that lives as long as a pool has it: no key of an account stays in memory without need.
    private struct Source {
        weak var tokens: AccessTokenSource?
    }

    private struct State {
        var sources: [Deployment.PoolSettings: Source] = [:]
        /// The quota of each project, by the project's id.
        var quotas: [String: ProjectQuota] = [:]
    }

    /// The longest time for the exchange of an assertion for an access token.
    private static let maximumExchangeSeconds: Int64 = 15

    private let loop: any EventLoop
    private let logger: Logger
    private let exchange: AccessTokenSource.Exchange?
    private let state = Mutex(State())

    /// Makes an empty set of accounts.
    ///
    /// - Parameters:
    ///   - loop: sends the requests for access tokens.
    ///   - exchange: takes the place of the token endpoints; nil if the endpoints are asked.
    init(loop: any EventLoop, logger: Logger, exchange: AccessTokenSource.Exchange? = nil) {
        self.loop = loop
        self.logger = logger
        self.exchange = exchange
    }

    /// Returns the access tokens of an account, which are requested as the pool's pushes are: through the same proxy.
    ///
    /// - Parameter tls: for the token endpoint: ALPN `h2` required.
    func tokens(
        of account: ServiceAccount, key: RSASigningKey, pool: Deployment.PoolSettings, tls: TLSContext
    ) -> AccessTokenSource {
        let address = account.tokenAddress
        return state.withLock { state in
            // After a reload an account that was refused is tried at once.
            if let known = state.sources[pool]?.tokens, !known.isRefused { return known }
            state.sources = state.sources.filter { $0.value.tokens != nil }
            let request = SingleRequest(
                to: SingleRequest.Endpoint(
                    host: address.host, port: Int(address.port),
                    networkPath: NetworkPath(proxy: pool.proxy, proxyCredentials: pool.proxyCredentials), tls: tls),
                timeout: .seconds(Self.maximumExchangeSeconds))
            let httpExchange: AccessTokenSource.Exchange = { [loop] body in
                request.post(path: address.target, contentType: JWTAssertion.contentType, body: body, on: loop)
            }
            let source = AccessTokenSource(
                account: account, key: key, logger: logger, exchange: exchange ?? httpExchange)
            state.sources[pool] = Source(tokens: source)
            return source
        }
    }

    /// Returns the quota of a project: the same for all of its pools, also after a reload that changes it.
    ///
    /// - Parameter messagesPerMinute: nil for Google's default.
    func quota(of project: String, messagesPerMinute: UInt32?) -> ProjectQuota {
        var limits = FCMQuota.Limits()
        if let messagesPerMinute { limits.messagesPerMinute = messagesPerMinute }
        return state.withLock { state in
            if let known = state.quotas[project] {
                known.setQuota(messagesPerMinute: limits.messagesPerMinute)
                return known
            }
            let quota = ProjectQuota(limits: limits, now: Clock.uptime())
            state.quotas[project] = quota
            return quota
        }
    }
}
