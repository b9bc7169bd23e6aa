package import CarillonAPNs
package import CarillonCore
package import CarillonTLS

/// Where a pool connects, and how it proves who it is.
package struct Upstream: Sendable {
    /// How requests are authorised.
    package enum Authorization: Sendable {
        /// A provider token in each request.
        case token(ProviderTokenSource)
        /// The certificate of the TLS context.
        case certificate
    }

    /// Which pool it is.
    package var key: PoolKey
    /// Host name or address to connect to.
    package var host: String
    /// 443 or 2197 with Apple.
    package var port: Int
    /// The way there; nothing = straight.
    package var proxy: Proxy?
    /// The name that the server's certificate must bear, and the `:authority` of requests.
    package var serverName: String
    /// Client context: ALPN `h2` required, authorities, certificate.
    package var tls: TLSContext
    /// How requests are authorised.
    package var authorization: Authorization
    /// The topic of `mdm` pushes.
    package var managementTopic: String?
    /// The server's epoch: part of each `apns-id`.
    package var epoch: UUIDBytes

    /// Makes an upstream.
    package init(
        key: PoolKey,
        host: String,
        port: Int,
        proxy: Proxy? = nil,
        serverName: String? = nil,
        tls: TLSContext,
        authorization: Authorization,
        managementTopic: String? = nil,
        epoch: UUIDBytes
    ) {
        self.key = key
        self.host = host
        self.port = port
        self.proxy = proxy
        self.serverName = serverName ?? host
        self.tls = tls
        self.authorization = authorization
        self.managementTopic = managementTopic
        self.epoch = epoch
    }

    /// Apple's hosts.
    package static func host(of environment: Environment) -> String {
        switch environment {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    var usesToken: Bool {
        if case .token = authorization { true } else { false }
    }
}
