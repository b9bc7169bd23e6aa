extension CarillonClient {
    /// Where the server is, how it is spoken to and how long the client waits.
    public struct Configuration: Hashable, Sendable {
        /// Where the server listens.
        public enum Address: Hashable, Sendable {
            /// A host name or IP address, and a port.
            case tcp(host: String, port: Int)
            /// A Unix stream socket.
            case unixSocket(path: String)
        }

        /// A certificate that says who the client is: PEM files; the key file must be readable by its owner only.
        public struct ClientCertificate: Hashable, Sendable {
            /// The certificate, then those that lead to its authority.
            public var chain: String
            /// The private key.
            public var key: String

            /// Makes it of two paths.
            public init(chain: String, key: String) {
                self.chain = chain
                self.key = key
            }
        }

        /// What protects the bytes on their way.
        public enum Security: Hashable, Sendable {
            /// Nothing: for Unix sockets and loopback addresses. An API key must not travel further like this.
            case plaintext
            /// TLS 1.2 or later. `authorities` is a PEM file; without it the system's authorities are believed.
            /// `serverName` is the name in the server's certificate, if it is not the host's.
            case tls(authorities: String? = nil, clientCertificate: ClientCertificate? = nil, serverName: String? = nil)
        }

        /// Where the server is.
        public var address: Address
        /// What protects the bytes.
        public var security: Security
        /// The API key, if a certificate does not say who the client is; 1 to 256 bytes.
        public var apiKey: String?
        /// Name and version of the program, for the server's log; at most 64 bytes are sent.
        public var software = "carillon-swift/1.0"
        /// How long a call may take, all repetitions included.
        public var requestTimeout = Duration.seconds(30)
        /// From connecting until requests may be sent.
        public var connectTimeout = Duration.seconds(5)
        /// The pause after the first connection that failed; it doubles with each, and is spread at random.
        public var minimumBackoff = Duration.milliseconds(100)
        /// The longest pause between two tries to connect.
        public var maximumBackoff = Duration.seconds(10)
        /// Tries to connect that fail in a row before waiting calls fail; nothing = when their time has passed.
        public var connectionAttempts: Int?
        /// Calls that wait for the connection or for a place in its window; one more fails as overloaded.
        public var maximumWaitingRequests = 100_000

        /// Makes a configuration with the usual limits.
        public init(address: Address, security: Security, apiKey: String? = nil) {
            self.address = address
            self.security = security
            self.apiKey = apiKey
        }
    }
}

extension CarillonClient.Configuration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The address; never the API key.
    public var description: String { "\(address)" }
    /// The address; never the API key.
    public var debugDescription: String { description }
}

extension CarillonClient.Configuration.Address: CustomStringConvertible {
    /// `host:port`, or `unix:path`.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}
