package import CarillonClient

extension CarillonClient.Configuration.Address {
    /// Parses `host:port`, `[address]:port` or `unix:path`.
    package init?(argument: String) {
        if argument.hasPrefix("unix:") {
            let path = argument.dropFirst(5)
            guard !path.isEmpty else { return nil }
            self = .unixSocket(path: String(path))
            return
        }
        guard let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...]), port > 0
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: Int(port))
    }

    /// True if the connection stays on this machine: loopback or a Unix socket.
    package var isLocal: Bool {
        switch self {
        case .unixSocket: true
        case .tcp(let host, _):
            host == "localhost" || host == "::1"
                || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        }
    }
}
