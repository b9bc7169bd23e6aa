package import CarillonProvider
import CarillonTLS

/// The path from this machine to a server, direct or through a proxy, with the rule for the addresses that may be used.
package struct NetworkPath: Sendable {
    /// The proxy to connect through; nil for a direct connection.
    package var proxy: Proxy?
    /// The credentials for the proxy; nil if it needs none.
    package var proxyCredentials: ProxyCredentials?
    /// Returns true if a connection to an address may be opened. Called directly before the connection; nil if every
    /// address may be used. The address has 4 or 16 bytes, in network order. A proxy looks names up itself, and needs a
    /// rule of its own.
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
