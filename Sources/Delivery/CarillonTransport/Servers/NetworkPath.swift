package import CarillonProvider
package import CarillonTLS

/// The path from this machine to a server, direct or through a proxy, with the rule for the addresses that may be used.
package struct NetworkPath: Sendable {
    /// The proxy to connect through; nil for a direct connection.
    package var proxy: Proxy?
    /// The credentials for the proxy; nil if it needs none.
    package var proxyCredentials: ProxyCredentials?
    /// The rule that returns true if a connection may be opened to an address. It is called directly before the
    /// connection; nil if every address may be used. The address has 4 or 16 bytes, in network order. A proxy looks
    /// names up itself, and needs a rule of its own.
    package var permitsAddress: (@Sendable (_ address: [UInt8]) -> Bool)?

    package static let direct = NetworkPath()

    package init(
        proxy: Proxy? = nil, proxyCredentials: ProxyCredentials? = nil,
        permitsAddress: (@Sendable (_ address: [UInt8]) -> Bool)? = nil
    ) {
        self.proxy = proxy
        self.proxyCredentials = proxyCredentials
        self.permitsAddress = permitsAddress
    }
}

/// The text `user:password` for a proxy: erased when it is not used any more. Requests that contain it exist only while
/// a tunnel is being opened.
package final class ProxyCredentials: Sendable, Hashable {
    private let secret: SecretBytes
    private let digest: [UInt8]

    package init(_ secret: consuming SecretBytes) {
        digest = secret.withUnsafeBytes { SHA256.hash($0) }
        self.secret = secret
    }

    /// Calls `body` with the bytes, valid during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { secret.withUnsafeBytes(body) }

    package static func == (left: ProxyCredentials, right: ProxyCredentials) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
