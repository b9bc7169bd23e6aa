import CCarillonOpenSSL

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
