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

extension TLSError {
    /// Makes the error of a failed call of OpenSSL from its queue of errors.
    init(queue: [OpenSSLError], verifyResult: Int) {
        for entry in queue where entry.isFromTLS {
            switch entry.reason {
            case SSL_R_CERTIFICATE_VERIFY_FAILED:
                self = .certificateRejected(CertificateFault(verifyResult: verifyResult))
                return
            case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
                self = .certificateRejected(.missing)
                return
            case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_CALLBACK_FAILED:
                self = .noApplicationProtocol
                return
            case let reason where (SSL_AD_REASON_OFFSET...SSL_AD_REASON_OFFSET + 255).contains(reason):
                self = .alertReceived(TLSAlert(rawValue: reason - SSL_AD_REASON_OFFSET))
                return
            default: continue
            }
        }
        self = .protocolViolation(queue)
    }
}

/// The fault of the peer's certificate: X509_STORE_CTX_get_error(3).
package enum CertificateFault: Hashable, Sendable {
    case expired
    case notYetValid
    case nameMismatch
    case selfSigned
    case unknownIssuer
    case revoked
    case wrongPurpose
    /// The peer had to present a certificate, and did not.
    case missing
    /// The fault has another `X509_V_ERR_` code.
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

extension CertificateFault: CustomStringConvertible {
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

/// An alert of a peer (RFC 8446, section 6).
package struct TLSAlert: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    // The alerts that this module sends and that its tests provoke, under their names in the RFC.
    package static let badCertificate = TLSAlert(rawValue: 42)
    package static let certificateExpired = TLSAlert(rawValue: 45)
    package static let unknownAuthority = TLSAlert(rawValue: 48)
    package static let certificateRequired = TLSAlert(rawValue: 116)
    package static let noApplicationProtocol = TLSAlert(rawValue: 120)
}

extension TLSAlert: CustomStringConvertible {
    package var description: String { "alert \(rawValue), " + String(cString: SSL_alert_desc_string_long(rawValue)) }
}
