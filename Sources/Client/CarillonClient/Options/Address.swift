import CarillonCore
import NIOCore

/// The addresses of a configuration.
extension CarillonClient.Configuration {
    /// The address of a server.
    public enum Address: Hashable, Sendable {
        /// A host name or IP address, and a port.
        case tcp(host: String, port: Int)
        /// A Unix stream socket.
        case unixSocket(path: String)
    }

    /// Reads addresses from one text, separated by commas: `a:7474,b:7474`.
    ///
    /// - Throws: `.invalidArgument` of the field `addresses` for an empty item, a missing or impossible port, and for
    ///   more than 32.
    public static func addresses(_ text: String) throws(CarillonError) -> [Address] {
        var addresses: [Address] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = Address(String(item)) else {
                throw CarillonError(
                    .invalidArgument, field: "addresses", message: "'\(item)' is neither HOST:PORT nor unix:PATH")
            }
            addresses.append(address)
        }
        guard addresses.count <= 32 else {
            throw CarillonError(.invalidArgument, field: "addresses", message: "there are 1 to 32 addresses")
        }
        return addresses
    }
}

extension CarillonClient.Configuration.Address {
    /// Reads `host:port`, `[v6]:port` or `unix:path`; white space around it is dropped. Returns nil for other text.
    public init?(_ text: String) {
        let address = String(text.trimmed(while: \.isWhitespace))
        if let path = address.removing(prefix: "unix:") {
            guard !path.isEmpty else { return nil }
            self = .unixSocket(path: String(path))
            return
        }
        guard let colon = address.lastIndex(of: ":") else { return nil }
        let digits = address[address.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            return nil
        }
        var host = address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: Int(port))
    }

    /// True if connections to the address stay on this machine: `localhost`, a literal loopback address, or a Unix
    /// socket.
    package var isLocal: Bool {
        guard case .tcp(let host, let port) = self else { return true }
        if host == "localhost" { return true }
        // Why try?: a name is no address, and is not looked up.
        return (try? SocketAddress(ipAddress: host, port: port))?.isLoopback ?? false
    }

    /// True if the host is an IP address.
    var isLiteral: Bool {
        guard case .tcp(let host, let port) = self else { return false }
        // Why try?: a name is no address.
        return (try? SocketAddress(ipAddress: host, port: port)) != nil
    }

    /// True if a server can listen on the address.
    var isPossible: Bool {
        switch self {
        case .tcp(let host, let port): !host.isEmpty && (1...65_535).contains(port)
        case .unixSocket(let path): !path.isEmpty
        }
    }

    /// The name that the certificate of the server must have, unless another is given.
    package var host: String {
        if case .tcp(let host, _) = self { host } else { "localhost" }
    }
}

extension CarillonClient.Configuration.Address: CustomStringConvertible {
    /// The address as `host:port`, `[v6]:port` or `unix:path`.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

extension SocketAddress {
    /// True if a connection to the socket address stays on this machine.
    var isLoopback: Bool {
        switch self {
        // The IP address stands after family and port, and in IPv6 after the flow label too.
        case .v4(let address): withUnsafeBytes(of: address.address) { $0[4] == 127 }
        case .v6(let address):
            withUnsafeBytes(of: address.address) { bytes in
                let ip = bytes[8..<24]
                let isMapped = ip.prefix(10).allSatisfy { $0 == 0 } && ip[18] == 0xFF && ip[19] == 0xFF
                return isMapped ? ip[20] == 127 : ip.dropLast().allSatisfy { $0 == 0 } && ip[23] == 1
            }
        case .unixDomainSocket: true
        }
    }
}

/// Trims texts and keys.
extension BidirectionalCollection {
    /// Returns the elements without those at both ends for which `isDropped` returns true.
    func trimmed(while isDropped: (Element) -> Bool) -> SubSequence {
        var rest = drop(while: isDropped)
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}
