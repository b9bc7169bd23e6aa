/// The address of a device within its app: environment, kind and token.
public struct DeviceAddress: Hashable, Sendable {
    /// Which APNs.
    public var environment: Environment
    /// The kind of the token.
    public var kind: TokenKind
    /// The token.
    public var token: DeviceToken

    /// Makes an address from its parts.
    public init(environment: Environment, kind: TokenKind, token: DeviceToken) {
        self.environment = environment
        self.kind = kind
        self.token = token
    }
}
