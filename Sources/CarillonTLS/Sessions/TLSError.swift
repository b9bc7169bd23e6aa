import CCarillonOpenSSL

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

/// An alert of a peer (RFC 8446, section 6).
package struct TLSAlert: RawRepresentable, Hashable, Sendable {
    /// The number of the alert.
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    // The alerts that a caller tells apart, under their names in the RFC.
    package static let handshakeFailure = TLSAlert(rawValue: 40)
    package static let badCertificate = TLSAlert(rawValue: 42)
    package static let certificateExpired = TLSAlert(rawValue: 45)
    package static let unknownAuthority = TLSAlert(rawValue: 48)
    package static let certificateRequired = TLSAlert(rawValue: 116)
    package static let noApplicationProtocol = TLSAlert(rawValue: 120)
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

extension TLSAlert: CustomStringConvertible {
    package var description: String { "alert \(rawValue), " + String(cString: SSL_alert_desc_string_long(rawValue)) }
}
