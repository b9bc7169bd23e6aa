import CCarillonOpenSSL

/// The configuration that TLS sessions of one purpose share: identity, trust and protocols. TLS 1.2 or newer.
// Safety: an SSL_CTX is reference-counted with atomics and may make sessions on any thread; it is set up in the
// factory methods and not changed after.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool
    let applicationProtocols: ApplicationProtocols

    /// The authorities that a client trusts.
    package enum Trust: Hashable, Sendable {
        case system
        /// The authorities in a PEM file, and no others.
        case authorities(path: String)
        /// The authorities in a PEM text, and no others.
        case pem([UInt8])
    }

    /// The rule for certificates of clients: a server asks for none, or for one of the authorities in a PEM file.
    package enum ClientCertificates: Hashable, Sendable {
        case none
        case optional(authorities: String)
        case required(authorities: String)
    }

    private init(isServer: Bool, applicationProtocols: ApplicationProtocols) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .configuration("cannot make a TLS context", OpenSSLError.takeQueue())
        }
        self.pointer = pointer
        self.isServer = isServer
        self.applicationProtocols = applicationProtocols
        try Self.require("TLS 1.2 or newer", carillon_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION) == 1)
        // AES-128-GCM first: the fastest where the processor has AES instructions.
        let modern = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
        try Self.require("the cipher suites", SSL_CTX_set_ciphersuites(pointer, modern) == 1)
        let forward = "ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL"
        try Self.require("the cipher suites", SSL_CTX_set_cipher_list(pointer, forward) == 1)
        let mode = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        carillon_SSL_CTX_set_mode(pointer, Int(mode) | Int(SSL_MODE_AUTO_RETRY))
        carillon_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_options(pointer, carillon_SSL_OP_NO_RENEGOTIATION() | carillon_SSL_OP_NO_COMPRESSION())
    }

    deinit { SSL_CTX_free(pointer) }

    /// Makes a context for clients; the server's name is always verified.
    ///
    /// - Parameters:
    ///   - applicationProtocols: the protocols to offer, best first; with `requiresApplicationProtocol` the handshake
    ///     fails when the server picks none.
    ///   - identity: the certificate for a server that asks for one; nil for none.
    package static func client(
        trust: Trust = .system,
        applicationProtocols: [String] = [],
        requiresApplicationProtocol: Bool = false,
        identity: TLSIdentity? = nil
    ) throws(TLSError) -> TLSContext {
        let protocols = try ApplicationProtocols(applicationProtocols, isRequired: requiresApplicationProtocol)
        let context = try TLSContext(isServer: false, applicationProtocols: protocols)
        try require("the application protocols", protocols.offer(in: context.pointer))
        switch trust {
        case .system:
            try require("the system's authorities", SSL_CTX_set_default_verify_paths(context.pointer) == 1)
        case .authorities(let path):
            try require("the authorities in \(path)", SSL_CTX_load_verify_file(context.pointer, path) == 1)
        case .pem(let text):
            let authorities = try TLSIdentity.readCertificates(pem: text, fault: "the authorities are not PEM")
            defer { authorities.forEach(X509_free) }
            let store = SSL_CTX_get_cert_store(context.pointer)
            for authority in authorities {
                try require("the authorities", X509_STORE_add_cert(store, authority) == 1)
            }
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        if let identity { try context.use(identity) }
        return context
    }

    /// Makes a context for servers.
    ///
    /// - Parameters:
    ///   - applicationProtocols: the protocols to accept, best first; with `requiresApplicationProtocol` a client that
    ///     offers none of them is refused with the alert `no_application_protocol`.
    package static func server(
        identity: TLSIdentity,
        applicationProtocols: [String] = [],
        requiresApplicationProtocol: Bool = false,
        clientCertificates: ClientCertificates = .none
    ) throws(TLSError) -> TLSContext {
        let protocols = try ApplicationProtocols(applicationProtocols, isRequired: requiresApplicationProtocol)
        let context = try TLSContext(isServer: true, applicationProtocols: protocols)
        try context.use(identity)
        protocols.installChoice(in: context.pointer)
        SSL_CTX_set_options(
            context.pointer,
            carillon_SSL_OP_CIPHER_SERVER_PREFERENCE() | carillon_SSL_OP_NO_TICKET()
        )
        SSL_CTX_set_num_tickets(context.pointer, 0)
        switch clientCertificates {
        case .none: SSL_CTX_set_verify(context.pointer, SSL_VERIFY_NONE, nil)
        case .optional(let path): try context.askClients(authorities: path, mode: SSL_VERIFY_PEER)
        case .required(let path):
            try context.askClients(authorities: path, mode: SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
        }
        return context
    }

    private func use(_ identity: TLSIdentity) throws(TLSError) {
        let what = "the certificate or its key"
        try Self.require(what, SSL_CTX_use_certificate(pointer, identity.leaf) == 1)
        try Self.require(what, SSL_CTX_use_PrivateKey(pointer, identity.key) == 1)
        for intermediate in identity.intermediates {
            try Self.require(what, carillon_SSL_CTX_add1_chain_cert(pointer, intermediate) == 1)
        }
    }

    private func askClients(authorities path: String, mode: Int32) throws(TLSError) {
        try Self.require("the authorities in \(path)", SSL_CTX_load_verify_file(pointer, path) == 1)
        let names = SSL_load_client_CA_file(path)
        try Self.require("the authorities in \(path)", names != nil)
        SSL_CTX_set_client_CA_list(pointer, names)
        SSL_CTX_set_verify(pointer, mode, nil)
    }

    private static func require(_ what: String, _ done: @autoclosure () -> Bool) throws(TLSError) {
        ERR_clear_error()
        guard done() else { throw .configuration("cannot use \(what)", OpenSSLError.takeQueue()) }
    }
}
