import CarillonClock
import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport
import Logging
import NIOCore
import Synchronization

/// What pools to FCM share: the access tokens of a service account, and the quota of a Firebase project. They outlive a
/// pool: one that replaces another goes on with the same token, and has no second quota.
final class FCMAccounts: Sendable {
    /// A project and the rate that it may have.
    private struct QuotaKey: Hashable {
        var project: String
        var messagesPerMinute: UInt32?
    }

    private struct State {
        var tokens: [Deployment.PoolDescription: AccessTokenSource] = [:]
        var quotas: [QuotaKey: ProjectQuota] = [:]
    }

    /// The longest time for the exchange of an assertion for an access token.
    private static let maximumExchangeSeconds: Int64 = 15

    private let loop: any EventLoop
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter loop: sends the requests for access tokens.
    init(loop: any EventLoop, logger: Logger) {
        self.loop = loop
        self.logger = logger
    }

    /// The access tokens of an account, which are requested on that path.
    ///
    /// - Parameter tls: for the token endpoint: ALPN `h2` required.
    func tokens(
        of account: ServiceAccount, _ key: RSASigningKey, _ path: Deployment.PoolDescription, tls: TLSContext
    ) -> AccessTokenSource {
        let address = account.tokenAddress
        return state.withLock { state in
            // After a reload an account that was refused is tried at once.
            if let known = state.tokens[path], !known.isRefused { return known }
            let request = SingleRequest(
                to: SingleRequest.Target(
                    host: address.host, port: Int(address.port), proxy: path.proxy,
                    proxyCredentials: path.proxyCredentials, tls: tls), limit: .seconds(Self.maximumExchangeSeconds))
            let source = AccessTokenSource(account: account, key: key, logger: logger) { [loop] body in
                request.post(path: address.target, contentType: Assertion.contentType, body: body, on: loop)
            }
            state.tokens[path] = source
            return source
        }
    }

    /// The quota of a project.
    ///
    /// - Parameter messagesPerMinute: nil for Google's default.
    func quota(of project: String, messagesPerMinute: UInt32?) -> ProjectQuota {
        let key = QuotaKey(project: project, messagesPerMinute: messagesPerMinute)
        return state.withLock { state in
            if let known = state.quotas[key] { return known }
            var limits = FCMQuota.Limits()
            if let messagesPerMinute { limits.messagesPerMinute = messagesPerMinute }
            let quota = ProjectQuota(limits: limits, now: Clock.uptime())
            state.quotas[key] = quota
            return quota
        }
    }
}
