/// The address of a device within its app: environment, kind and token.
public struct DeviceAddress: Hashable, Sendable {
    /// The environment of APNs; production if the provider is another.
    public var environment: APNsEnvironment
    /// The kind of the token, which decides the provider.
    public var kind: TokenKind
    /// The token that the app got from the provider.
    public var token: DeviceToken

    /// Makes an address. Whether a device can have it is not checked.
    public init(environment: APNsEnvironment, kind: TokenKind, token: DeviceToken) {
        self.environment = environment
        self.kind = kind
        self.token = token
    }
}

extension DeviceAddress {
    /// The whole token in its written form. It must not appear in logs and error texts.
    public var tokenText: String { token.text(of: kind) }

    /// The beginning of the token in its written form, as long as `DeviceToken.shortened`.
    public var shortenedToken: String {
        kind.hasTextTokens ? String(decoding: token.printableBytes, as: UTF8.self) + "…" : token.shortened
    }

    /// The reason why no device can have an address (Protocol 16.3).
    package enum ParseError: Error, Hashable, Sendable {
        /// The address is in the sandbox, but its provider is not APNs, which alone has one.
        case environment
        /// The token is not valid for its kind.
        case token
    }

    /// The fault of an address that no device can have; nil if a device can have it.
    package var fault: ParseError? {
        // The rules of APNs: both environments, and tokens of any form.
        if kind.provider == .apns { return nil }
        if environment != .production { return .environment }
        return kind.accepts(token) ? nil : .token
    }
}
