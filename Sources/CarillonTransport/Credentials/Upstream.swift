package import CarillonCore
package import CarillonProvider
package import CarillonTLS

/// The server that a pool connects to, and the authorisation of its requests.
package struct Upstream: Sendable {
    /// The authorisation of requests.
    package enum Authorization: Sendable {
        /// A provider token in each request.
        case token(ProviderTokenSource)
        /// The certificate of the TLS context.
        case certificate
        /// An access token in each request.
        case accessToken(AccessTokenSource)
        /// A VAPID token for the origin of the push service in each request.
        case vapid(VAPIDTokenSource, origin: String)
    }

    /// The pool's key.
    package var key: PoolKey
    /// The host name or address to connect to.
    package var host: String
    /// The port: 443 or 2197 with Apple.
    package var port: Int
    /// The proxy to connect through; nil for a direct connection.
    package var proxy: Proxy?
    /// The credentials for the proxy; nil if it needs none.
    package var proxyCredentials: ProxyCredentials?
    /// The name that the server's certificate must have.
    package var serverName: String
    /// The `:authority` of requests.
    package var authority: String
    /// The client context: ALPN `h2` required, with the authorities and the certificate.
    package var tls: TLSContext
    /// The authorisation of requests.
    package var authorization: Authorization
    /// The quota that all pools of the project share; nil for a provider without quotas.
    package var quota: ProjectQuota?
    /// The rule for the addresses to which a connection may be opened: true if it may. It is called directly before
    /// that; nil if every address may be used. The address has 4 or 16 bytes, in network order. A proxy looks names up
    /// itself, and needs a rule of its own.
    package var permits: (@Sendable (_ address: [UInt8]) -> Bool)?
    /// The provider's form of requests, and the meaning of its answers.
    package var adapter: any ProviderAdapter

    package init(
        key: PoolKey,
        host: String,
        port: Int,
        proxy: Proxy? = nil,
        proxyCredentials: ProxyCredentials? = nil,
        serverName: String? = nil,
        authority: String? = nil,
        tls: TLSContext,
        authorization: Authorization,
        quota: ProjectQuota? = nil,
        permits: (@Sendable (_ address: [UInt8]) -> Bool)? = nil,
        adapter: any ProviderAdapter
    ) {
        self.key = key
        self.host = host
        self.port = port
        self.proxy = proxy
        self.proxyCredentials = proxyCredentials
        self.serverName = serverName ?? host
        self.authority = authority ?? serverName ?? host
        self.tls = tls
        self.authorization = authorization
        self.quota = quota
        self.permits = permits
        self.adapter = adapter
    }

    /// Returns Apple's host for an environment.
    package static func host(of environment: APNsEnvironment) -> String {
        switch environment {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The provider tokens; nil if requests are authorised in another way.
    package var providerTokens: ProviderTokenSource? {
        if case .token(let tokens) = authorization { tokens } else { nil }
    }

    /// The access tokens; nil if requests are authorised in another way.
    package var accessTokens: AccessTokenSource? {
        if case .accessToken(let tokens) = authorization { tokens } else { nil }
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
        case .token(let tokens):
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

    /// Renews the provider token, if that is allowed yet: the provider has answered that the token has expired.
    func providerTokenExpired(at now: Moment) {
        guard case .token(let tokens) = authorization else { return }
        // Why try?: the next request asks for the token again and fails the connection if it must.
        _ = try? tokens.token(at: now, isRefused: true)
    }
}
