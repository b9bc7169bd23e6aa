import CCarillonOpenSSL

/// One TLS connection without a socket: the caller gives it received ciphertext and takes ciphertext to send.
///
/// Not `Sendable`: it belongs to one event loop. Once TLS has failed, `receive`, `handshake`, `read` and `write` throw
/// the same error again. Ciphertext can still be taken: there may be an alert for the peer.
package final class TLSSession {
    private enum State {
        case handshaking
        case open
        case failed(TLSError)
    }

    /// The result of a call of OpenSSL.
    private enum CallResult {
        case done
        case wantMore
        case closed
    }

    /// The limit of ciphertext that waits to be read, in bytes.
    package static let maximumUnreadBytes = 1 << 20

    private let context: TLSContext
    let ssl: OpaquePointer
    private let memory = MemoryBIO()
    private var state = State.handshaking
    private var hasAnsweredHello = false
    private var hasSentCloseNotify = false

    /// Makes the client's side of a connection.
    ///
    /// - Parameter serverName: the name that the server's certificate must have: a DNS name (sent as SNI) or an IP
    ///   address (not sent).
    package convenience init(client context: TLSContext, serverName: String) throws(TLSError) {
        guard !context.isServer else { throw .misuse("a server's context for a client") }
        // For OpenSSL the empty name means "do not check": SSL_set1_host(3).
        guard !serverName.isEmpty, !serverName.utf8.contains(0) else { throw .misuse("a client expects a name") }
        try self.init(context)
        try expect(serverName)
        SSL_set_connect_state(ssl)
    }

    /// Makes the server's side of a connection.
    package convenience init(server context: TLSContext) throws(TLSError) {
        guard context.isServer else { throw .misuse("a client's context for a server") }
        try self.init(context)
        SSL_set_accept_state(ssl)
    }

    private init(_ context: TLSContext) throws(TLSError) {
        ERR_clear_error()
        guard let ssl = Handle(owning: SSL_new(context.pointer), free: SSL_free), let bio = memory.makeBIO() else {
            throw .configuration("cannot make a TLS session", OpenSSLError.takeQueue())
        }
        // One BIO in both places: SSL_set_bio(3) takes one reference then.
        SSL_set_bio(ssl.pointer, bio, bio)
        self.context = context
        self.ssl = ssl.release()
    }

    deinit { SSL_free(ssl) }

    private func expect(_ name: String) throws(TLSError) {
        defer { ERR_clear_error() }
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1 { return }
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard SSL_set1_host(ssl, name) == 1, carillon_SSL_set_tlsext_host_name(ssl, name) == 1 else {
            throw .misuse("not a name to expect")
        }
    }

    // MARK: Ciphertext

    /// Takes the bytes that the transport received. The caller then calls `handshake()` or reads until `wantMore`.
    package func receive(ciphertext: UnsafeRawBufferPointer) throws(TLSError) {
        if case .failed(let error) = state { throw error }
        guard ciphertext.count <= Self.maximumUnreadBytes - memory.incoming.count else {
            throw fail(.misuse("more than \(Self.maximumUnreadBytes) bytes received and not read"))
        }
        memory.incoming.append(ciphertext)
    }

    /// The number of bytes of ciphertext to send.
    package var pendingCiphertextBytes: Int { memory.outgoing.count }

    /// Calls `body` with all ciphertext to send and then removes it, unless `body` throws. `body` must not call
    /// this session.
    package func takeCiphertext<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let result = try body(memory.outgoing.bytes)
        memory.outgoing.removeAll()
        return result
    }

    // MARK: Plaintext

    /// Continues the handshake as far as the received bytes allow.
    package func handshake() throws(TLSError) -> HandshakeProgress {
        switch state {
        case .open: return .complete
        case .failed(let error): throw error
        case .handshaking: break
        }
        switch try call({ SSL_do_handshake($0) }) {
        case .wantMore: return .incomplete
        case .closed: throw fail(.truncated)
        case .done: break
        }
        if context.applicationProtocols.isRequired && negotiatedALPN == nil {
            throw fail(.noApplicationProtocol)
        }
        state = .open
        return .complete
    }

    /// Answers what was received of the client's hello. Returns true once the server's half of the handshake is written
    /// (TLS 1.3), or all of it is complete (TLS 1.2).
    ///
    /// Only for a server, and then until it is true, before `handshake()`. Early data of the client is never accepted.
    package func answerHello() throws(TLSError) -> Bool {
        guard context.isServer, !hasAnsweredHello, case .handshaking = state else {
            throw .misuse("no hello to answer")
        }
        var none: UInt8 = 0
        var count = 0
        var code = SSL_READ_EARLY_DATA_ERROR
        let result = try call { ssl in
            code = SSL_read_early_data(ssl, &none, 0, &count)
            return code == SSL_READ_EARLY_DATA_ERROR ? -1 : 1
        }
        hasAnsweredHello = result == .done && code == SSL_READ_EARLY_DATA_FINISH
        return hasAnsweredHello
    }

    /// True if `writeEarly` can be called: between `answerHello()` and the end of a handshake of TLS 1.3.
    package var mayWriteEarly: Bool {
        guard case .handshaking = state else { return false }
        return hasAnsweredHello && SSL_version(ssl) >= TLS1_3_VERSION
    }

    /// Encrypts what a server sends directly after its half of the handshake, in the same flight (RFC 8446, section
    /// 4.4.4): the client is not authenticated yet.
    package func writeEarly(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        guard mayWriteEarly else { throw .misuse("an early write without TLS 1.3 or out of time") }
        guard let base = plaintext.baseAddress, plaintext.count > 0 else { return }
        var count = 0
        let result = try call { SSL_write_early_data($0, base, plaintext.count, &count) }
        guard result == .done, count == plaintext.count else { throw fail(.protocolViolation([])) }
    }

    /// Decrypts into `target` until it is full or all received bytes are read.
    package func read(into target: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
        try requireOpen()
        guard let base = target.baseAddress, target.count > 0 else { throw .misuse("a read into no memory") }
        var filled = 0
        while filled < target.count {
            var count = 0
            let result: CallResult
            do {
                result = try call { SSL_read_ex($0, base + filled, target.count - filled, &count) }
            } catch {
                // The bytes before the error are valid; the next call throws the error.
                if filled > 0 { return .bytes(filled) }
                throw error
            }
            switch result {
            case .done: filled += count
            case .wantMore: return filled > 0 ? .bytes(filled) : .wantMore
            case .closed: return filled > 0 ? .bytes(filled) : .closed
            }
        }
        return .bytes(filled)
    }

    /// Encrypts all of `plaintext` into records of up to 16 KiB, for `takeCiphertext`.
    package func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        try requireOpen()
        guard !hasSentCloseNotify else { throw .misuse("a write after close_notify") }
        guard let base = plaintext.baseAddress else { return }
        var written = 0
        while written < plaintext.count {
            var count = 0
            let result = try call { SSL_write_ex($0, base + written, plaintext.count - written, &count) }
            // The memory always has room, and renegotiation is off: the call never has to wait.
            guard result == .done else { throw fail(.protocolViolation([])) }
            written += count
        }
    }

    /// Tells the peer that nothing more will be written; does nothing before the handshake is complete, after a
    /// failure, or a second time.
    package func sendCloseNotify() {
        guard case .open = state, !hasSentCloseNotify else { return }
        hasSentCloseNotify = true
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func requireOpen() throws(TLSError) {
        switch state {
        case .open: return
        case .handshaking: throw .misuse("the handshake is not complete")
        case .failed(let error): throw error
        }
    }

    // MARK: Negotiated properties

    /// The negotiated application protocol; nil if none was negotiated.
    package var negotiatedALPN: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// The verified certificate of the peer; nil for a server that did not ask for one, or that asked for an optional
    /// one and got none.
    package var peerCertificate: Certificate? { SSL_get0_peer_certificate(ssl).map(Certificate.init(reading:)) }

    // MARK: Calls of OpenSSL

    /// Calls OpenSSL with an empty error queue and reads the queue at once: SSL_get_error(3).
    private func call(_ operation: (OpaquePointer) -> Int32) throws(TLSError) -> CallResult {
        ERR_clear_error()
        let result = operation(ssl)
        if result > 0 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantMore
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: throw fail(TLSError(queue: OpenSSLError.takeQueue(), verifyResult: SSL_get_verify_result(ssl)))
        }
    }

    private func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}
