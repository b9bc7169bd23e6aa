package import CarillonCore
package import CarillonProvider
package import CarillonTLS

/// The target of a pool, or of channel management: the server to connect to, and the authorization of requests.
package struct PoolTarget: Sendable {
    /// The server, and the names that it goes by.
    package struct Server: Hashable, Sendable {
        /// The host name or address to connect to.
        package var host: String
        /// The port: 443 or 2197 with Apple.
        package var port: Int
        /// The name that the server's certificate must have.
        package var certificateName: String
        /// The `:authority` of requests.
        package var authority: String

        /// Names a server of a provider.
        ///
        /// - Parameters:
        ///   - certificateName: nil if it is the host.
        ///   - authority: nil if it is the name of the certificate.
        package init(host: String, port: Int, certificateName: String? = nil, authority: String? = nil) {
            self.host = host
            self.port = port
            self.certificateName = certificateName ?? host
            self.authority = authority ?? certificateName ?? host
        }
    }

    /// The way to authorize requests.
    package enum Authorization: Sendable {
        /// A provider token in each request.
        case providerToken(ProviderTokenSource)
        /// The certificate of the TLS context.
        case certificate
        /// An access token in each request.
        case accessToken(AccessTokenSource)
        /// A VAPID token for the origin of the push service in each request.
        case vapid(VAPIDTokenSource, origin: String)
    }

    package var key: PoolKey
    package var server: Server
    package var networkPath: NetworkPath
    /// The client context: ALPN `h2` required, with the authorities and the certificate.
    package var tls: TLSContext
    package var authorization: Authorization
    /// The quota that all pools of the project share; nil for a provider without quotas.
    package var quota: ProjectQuota?
    /// The provider's form of requests, and the meaning of its answers.
    package var adapter: any ProviderAdapter

    package init(
        key: PoolKey,
        server: Server,
        networkPath: NetworkPath = .direct,
        tls: TLSContext,
        authorization: Authorization,
        quota: ProjectQuota? = nil,
        adapter: any ProviderAdapter
    ) {
        self.key = key
        self.server = server
        self.networkPath = networkPath
        self.tls = tls
        self.authorization = authorization
        self.quota = quota
        self.adapter = adapter
    }

    /// Returns Apple's host for an environment.
    package static func host(of environment: APNsEnvironment) -> String {
        switch environment {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The provider tokens; nil if requests are authorized in another way.
    package var providerTokens: ProviderTokenSource? {
        if case .providerToken(let tokens) = authorization { tokens } else { nil }
    }

    /// The access tokens; nil if requests are authorized in another way.
    package var accessTokens: AccessTokenSource? {
        if case .accessToken(let tokens) = authorization { tokens } else { nil }
    }

    /// True if access token or quota may hold pushes back.
    var needsAllowance: Bool { accessTokens != nil || quota != nil }

    /// The number of pushes that the access token and the quota permit now.
    struct PushAllowance {
        /// The number of pushes, which the quota counts as sent.
        var count: Int
        /// The time at which the quota permits more; nil if no time is known.
        var moreAt: Uptime?
    }

    /// The reason why a request has no authorization.
    enum AuthorizationError: Error {
        /// The provider token cannot be signed.
        case notSigned(TLSError)
        /// There is no access token yet.
        case notYet
        /// There is no access token, because the token endpoint refuses the credential; the text is its answer.
        case refused(String)
    }

    /// Returns the authorization of a request; nil with a certificate.
    func requestAuthorization(at now: Moment) throws(AuthorizationError) -> RequestAuthorization? {
        switch authorization {
        case .providerToken(let tokens):
            let token: ProviderTokenSource.Token
            do throws(TLSError) { token = try tokens.token(at: now) } catch { throw .notSigned(error) }
            return RequestAuthorization(
                value: "bearer " + token.text, generation: token.generation, isIndexed: false)
        case .certificate: return nil
        case .accessToken(let tokens): return try tokens.authorization(at: now)
        case .vapid(let tokens, let origin):
            do throws(TLSError) { return try tokens.authorization(for: origin, at: now) } catch {
                throw .notSigned(error)
            }
        }
    }

    /// Returns how many pushes the access token and the quota allow to be pulled, at most `wanted`. Asks for an access
    /// token if one is due.
    func takeAllowance(upTo wanted: Int, at now: Moment) -> PushAllowance {
        if let accessTokens, !accessTokens.requestTokenIfDue(at: now) { return PushAllowance(count: 0, moreAt: nil) }
        guard let quota else { return PushAllowance(count: wanted, moreAt: nil) }
        let (count, next) = quota.take(upTo: wanted, at: now.uptime)
        return PushAllowance(count: count, moreAt: next)
    }

    /// Renews the provider token, if that is allowed yet: the provider has answered that the token has expired.
    func providerTokenExpired(at now: Moment) {
        guard case .providerToken(let tokens) = authorization else { return }
        // Why try?: the next request asks for the token again and fails the connection if it must.
        _ = try? tokens.token(at: now, isRefused: true)
    }
}
