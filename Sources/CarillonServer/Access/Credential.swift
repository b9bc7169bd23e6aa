import CarillonTLS

/// The identity of a client, without a secret: its principal is looked up again when the principals change.
enum Credential: Hashable, Sendable {
    /// An API key, by its SHA-256.
    case key(hash: [UInt8])
    /// A certificate, by its DNS names and then its URI names.
    case certificate(names: [CertificateName])

    /// The credential of an API key.
    init(key: [UInt8]) {
        self = .key(hash: SHA256.hash(key))
    }

    /// The credential of a client certificate.
    init(_ certificate: Certificate) {
        self = .certificate(
            names: certificate.dnsNames.map(CertificateName.dns) + certificate.uriNames.map(CertificateName.uri))
    }
}
