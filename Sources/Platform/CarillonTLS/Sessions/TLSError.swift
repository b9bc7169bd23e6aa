/// The reason why a TLS context could not be made or a TLS session ended; descriptions are safe to show.
package enum TLSError: Error, Hashable, Sendable {
    /// This side rejected the peer's certificate.
    case certificateRejected(CertificateFault)
    /// The peer ended the session with an alert (RFC 8446 section 6), for example because it rejected this side's
    /// certificate.
    case alertReceived(TLSAlert)
    /// The two sides share no application protocol (RFC 7301).
    case noApplicationProtocol
    /// The peer sent bytes that are not TLS, or not a version that this side accepts.
    case protocolViolation([OpenSSLError])
    /// The transport ended without close_notify: what was received may be cut short.
    case truncated
    /// The handshake did not finish in time.
    case handshakeTimedOut
    /// Certificate, key or authorities cannot be used; the text says which, and OpenSSL why.
    case configuration(String, [OpenSSLError])
    /// The caller broke a rule of this module; the text says which.
    case misuse(String)
}

extension TLSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .certificateRejected(let fault): "the peer's certificate was rejected: \(fault)"
        case .alertReceived(let alert): "the peer ended the session: \(alert)"
        case .noApplicationProtocol: "no application protocol in common"
        case .protocolViolation(let queue): "the peer broke the TLS protocol" + Self.reasons(queue)
        case .truncated: "the connection ended without close_notify"
        case .handshakeTimedOut: "the TLS handshake took too long"
        case .configuration(let what, let queue): what + Self.reasons(queue)
        case .misuse(let what): "TLS misuse: \(what)"
        }
    }

    private static func reasons(_ queue: [OpenSSLError]) -> String {
        queue.isEmpty ? "" : ": " + queue.map(\.description).joined(separator: "; ")
    }
}
