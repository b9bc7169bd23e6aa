import CarillonCore

/// The identity of one session's client, and the rights that the client has by it.
struct ClientAuthentication {
    /// The effect on one client when the known clients or their rights change.
    enum RightsChange {
        /// The client is no longer known.
        case unknown
        /// The client has other rights.
        case rights(Principal)
        /// The client has the same rights, but only a new handshake shows whether its certificate is still trusted.
        case mustReconnect(Principal)

        /// The client with the rights that it has now; nil if it is no longer known.
        var principal: Principal? {
            switch self {
            case .unknown: nil
            case .rights(let principal), .mustReconnect(let principal): principal
            }
        }

        /// The reason of the end of the connection, for the log.
        var reason: String {
            switch self {
            case .unknown: "the client is not known any more"
            case .rights: "the rights of the client have changed"
            case .mustReconnect: "the trusted authorities have changed: the client must connect again"
            }
        }
    }

    private let authenticator: Authenticator
    /// The client's key or certificate; nil until it is known.
    private var identity: ClientIdentity?

    init(_ authenticator: Authenticator) {
        self.authenticator = authenticator
    }

    /// Returns the client that a certificate names; nil if the client has none, or an unknown one.
    mutating func certificateShown(_ identity: ClientIdentity?) -> Principal? {
        self.identity = identity
        return identity.flatMap(authenticator.principal(for:))
    }

    /// Returns the client that an API key belongs to; nil if the key is not known.
    mutating func keyShown(_ key: [UInt8]) -> Principal? {
        let key = ClientIdentity(key: key)
        guard let principal = authenticator.principal(for: key) else { return nil }
        identity = key
        return principal
    }

    /// Returns what a change of the clients means for this one; nil if it means nothing.
    ///
    /// - Parameter before: the client with its present rights.
    func rightsChange(from before: Principal, _ change: SessionHandler.ClientsChanged) -> RightsChange? {
        guard let identity else { return nil }
        guard let principal = authenticator.principal(for: identity) else { return .unknown }
        if case .certificate = identity, change.haveAuthoritiesChanged { return .mustReconnect(principal) }
        return principal == before ? nil : .rights(principal)
    }
}
