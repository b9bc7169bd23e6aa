import CarillonVersion

extension CarillonClient {
    /// The address of the server, the protection of the connection and the timeouts.
    public struct Configuration: Hashable, Sendable {
        /// Where the server listens.
        public enum Address: Hashable, Sendable {
            /// A host name or IP address, and a port.
            case tcp(host: String, port: Int)
            /// A Unix stream socket.
            case unixSocket(path: String)
        }

        /// A text in the form PEM.
        public enum PEM: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
            /// The text of a file, which is read when the client connects first.
            case file(String)
            /// The text itself, for example of a vault.
            case text(String)

            /// The path of the file; never the text, which may be a key.
            public var description: String {
                switch self {
                case .file(let path): path
                case .text: "a PEM text"
                }
            }

            /// As `description`.
            public var debugDescription: String { description }
        }

        /// A certificate that identifies the client. A file of the key must be readable by its owner only.
        public struct ClientCertificate: Hashable, Sendable {
            /// The certificate, then the intermediate ones up to its authority.
            public var chain: PEM
            /// The private key.
            public var key: PEM

            /// Makes a certificate.
            public init(chain: PEM, key: PEM) {
                self.chain = chain
                self.key = key
            }
        }

        /// The protection of the connection.
        public enum Security: Hashable, Sendable {
            /// Nothing: for Unix sockets and loopback addresses. An API key must not leave the machine in plaintext.
            case plaintext
            /// TLS 1.2 or later. `authorities` are certificates; without them those of the system are trusted.
            /// `serverName` is the name in the server's certificate, if it is not the host's.
            case tls(authorities: PEM? = nil, clientCertificate: ClientCertificate? = nil, serverName: String? = nil)
        }

        /// Where the server is.
        public var address: Address
        /// The protection of the connection.
        public var security: Security
        /// The API key, 1 to 256 bytes; nil if a certificate identifies the client.
        public var apiKey: String?
        /// Name and version of the program, for the server's log; at most 64 bytes are sent.
        public var software = "carillon-swift/\(Version.number)"
        /// The time that a call may take, with all its attempts.
        public var requestTimeout = Duration.seconds(30)
        /// From connecting until requests may be sent.
        public var connectTimeout = Duration.seconds(5)
        /// The pause after the first connection that failed; it doubles with each, and is spread at random.
        public var minimumBackoff = Duration.milliseconds(100)
        /// The longest pause between two attempts to connect.
        public var maximumBackoff = Duration.seconds(10)
        /// Attempts to connect that fail in a row before waiting calls fail; nil: they fail when their time has passed.
        public var connectionAttempts: Int?
        /// Calls that may wait for the connection or for room in its window; one more fails as overloaded.
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
