import CCarillonOpenSSL

/// Why a TLS context could not be made or a TLS session ended; descriptions are safe to show.
package enum TLSError: Error, Hashable, Sendable {
    /// We rejected the peer's certificate.
    case certificateRejected(CertificateProblem)
    /// The peer ended the session with an alert (RFC 8446 section 6), for example because it rejected our certificate.
    case alertReceived(TLSAlert)
    /// The two sides share no application protocol (RFC 7301).
    case noApplicationProtocol
    /// The peer sent bytes that are not TLS, or not a version that we accept.
    case protocolViolation([OpenSSLError])
    /// The transport ended without close_notify: what was received may be cut short.
    case truncated
    /// The handshake did not finish in time.
    case handshakeTimedOut
    /// Certificate, key or authorities cannot be used.
    case configuration(String, [OpenSSLError])
    /// The caller broke a rule of this module.
    case misuse(String)
}

/// The fault of the peer's certificate: X509_STORE_CTX_get_error(3).
package enum CertificateProblem: Hashable, Sendable {
    case expired
    case notYetValid
    case nameMismatch
    case selfSigned
    case unknownIssuer
    case revoked
    case wrongPurpose
    /// The peer had to present a certificate and did not.
    case missing
    /// Another `X509_V_ERR_` code.
    case other(Int32)

    init(verifyResult code: Int) {
        let code = Int32(truncatingIfNeeded: code)
        self =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .nameMismatch
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .selfSigned
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .unknownIssuer
            case X509_V_ERR_CERT_REVOKED: .revoked
            case X509_V_ERR_INVALID_PURPOSE: .wrongPurpose
            default: .other(code)
            }
    }
}

/// An alert by its number in RFC 8446 section 6.
package struct TLSAlert: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

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
        case .certificateRejected(let problem): "the peer's certificate was rejected: \(problem)"
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

extension CertificateProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .nameMismatch: "it is for another name"
        case .selfSigned: "it is self-signed, or its chain ends in an authority that is not trusted"
        case .unknownIssuer: "its issuer is not known"
        case .revoked: "it is revoked"
        case .wrongPurpose: "it is not meant for this use"
        case .missing: "none was presented"
        case .other(let code): X509_verify_cert_error_string(Int(code)).map(String.init(cString:)) ?? "code \(code)"
        }
    }
}

extension TLSAlert: CustomStringConvertible {
    package var description: String { "alert \(rawValue), " + String(cString: SSL_alert_desc_string_long(rawValue)) }
}
