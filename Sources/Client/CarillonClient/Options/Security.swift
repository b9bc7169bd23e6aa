package import CarillonTLS

/// The protection of the connections of a configuration.
extension CarillonClient.Configuration {
    /// The protection of connections by TLS.
    public enum Security: Hashable, Sendable {
        /// Plaintext to `localhost` and to literal loopback addresses, TLS with the system's authorities to all others.
        case automatic
        /// TLS 1.2 or later. `authorities` are the trusted certificates; nil trusts those of the system. `serverName`
        /// is the name in the server's certificate, if it differs from the host name.
        case tls(authorities: PEM? = nil, clientCertificate: ClientCertificate? = nil, serverName: String? = nil)
        /// Plaintext, and only to addresses of this machine, because an API key must not leave it in plaintext.
        case plaintext
        /// Plaintext, even to other machines. Anyone on the network can read the key.
        case plaintextAnywhere
    }

    /// A text in PEM format. A file is read for each connection, so that you can replace it without a restart.
    public enum PEM: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The text of a file.
        case file(String)
        /// The text itself, for example from a vault.
        case text(String)

        /// The path of the file; never the text, which may be a key.
        public var description: String {
            switch self {
            case .file(let path): path
            case .text: "a PEM text"
            }
        }

        /// The same text as `description`.
        public var debugDescription: String { description }
        /// The same text as `description`.
        public var customMirror: Mirror { Mirror(self, children: ["PEM": description]) }
    }

    /// A certificate that identifies the client. If the key is in a file, only its owner may be able to read it.
    public struct ClientCertificate: Hashable, Sendable {
        /// The certificate, followed by the intermediate certificates up to its authority.
        public var chain: PEM
        /// The private key.
        public var key: PEM

        /// Makes a certificate from its parts. The client reads and checks them only when it connects.
        public init(chain: PEM, key: PEM) {
            self.chain = chain
            self.key = key
        }
    }

    /// The certificates and the name for connections to one address.
    package struct TLSParameters: Sendable {
        /// The trusted certificates; nil for the system's.
        var authorities: PEM?
        var certificate: ClientCertificate?
        /// The name that the server's certificate must have.
        package var serverName: String

        /// Reads the certificates and makes the TLS context. Blocks.
        package func context() throws(TLSError) -> TLSContext {
            try TLSContext.client(
                trust: authorities.map { $0.trust } ?? .system, applicationProtocols: ["carillon/1"],
                identity: certificate.map { certificate throws(TLSError) in try certificate.identity() })
        }
    }

    /// Returns the parameters of TLS for an address; nil if its connections are in plaintext.
    package func tls(for address: Address) -> TLSParameters? {
        if case .unixSocket = address { return nil }
        switch security {
        case .plaintext, .plaintextAnywhere: return nil
        case .automatic: return address.isLocal ? nil : TLSParameters(serverName: address.host)
        case .tls(let authorities, let certificate, let name):
            return TLSParameters(
                authorities: authorities, certificate: certificate, serverName: name ?? address.host)
        }
    }
}

extension CarillonClient.Configuration.PEM {
    /// The certificates in this text, as trusted authorities.
    var trust: TLSContext.Trust {
        switch self {
        case .file(let path): .authorities(path: path)
        case .text(let text): .pem(Array(text.utf8))
        }
    }
}

extension CarillonClient.Configuration.ClientCertificate {
    /// Reads the certificate with its key.
    func identity() throws(TLSError) -> TLSIdentity {
        switch (chain, key) {
        case (.file(let chain), .file(let key)): return try .pemFiles(certificateChain: chain, key: key)
        case (.text(let chain), .text(let key)):
            return try .pem(certificateChain: Array(chain.utf8), key: SecretBytes(copying: key.utf8))
        case (.file(let chain), .text(let key)):
            return try .pem(certificateFile: chain, key: SecretBytes(copying: key.utf8))
        case (.text(let chain), .file(let key)):
            return try .pem(certificateChain: Array(chain.utf8), keyFile: key)
        }
    }
}
