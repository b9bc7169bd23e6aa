import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport

/// A credential with its key or certificate read.
struct LoadedCredential: Sendable {
    /// The means by which the server authenticates to a provider.
    enum Authentication: Sendable {
        /// The source of provider tokens.
        case token(ProviderTokenSource)
        /// A certificate and its key.
        case certificate(TLSIdentity)
        /// A Google service account and its key, which signs assertions.
        case serviceAccount(ServiceAccount, RSASigningKey)
        /// The source of VAPID tokens.
        case vapid(VAPIDTokenSource)
    }

    var authentication: Authentication
    /// A hash that changes when a file or an id changes; it reveals no secret.
    var fingerprint: [UInt8]

    /// The certificate; nil for a key.
    var certificate: Certificate? {
        if case .certificate(let identity) = authentication { identity.certificate } else { nil }
    }

    /// The kind of credential: `key`, `certificate`, `service account` or `VAPID key`.
    var kind: String {
        switch authentication {
        case .token: "key"
        case .certificate: "certificate"
        case .serviceAccount: "service account"
        case .vapid: "VAPID key"
        }
    }

    /// The topic of `mdm` pushes; nil if the credential is not a certificate for these.
    var managementTopic: String? { certificate.flatMap { CertificateScope($0).managementTopic } }

    /// Returns true if the credential may push that type to the app. A certificate says so itself; of a key only APNs
    /// knows, so the result is true.
    func supports(_ type: PushType, for app: AppID, managementTopic: String?) -> Bool {
        guard let certificate else { return true }
        return CertificateScope(certificate).supports(
            type, for: app, managementTopic: managementTopic ?? self.managementTopic)
    }
}
