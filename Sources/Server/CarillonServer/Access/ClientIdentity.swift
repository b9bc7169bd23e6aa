import CarillonTLS

/// The identity of a client, without a secret. When the principals change, the server looks up the client's principal
/// again.
enum ClientIdentity: Hashable, Sendable {
    /// An API key, by its SHA-256.
    case key(hash: [UInt8])
    /// A certificate, by its DNS names and then its URI names.
    case certificate(names: [CertificateName])

    init(key: [UInt8]) {
        self = .key(hash: SHA256.hash(key))
    }

    init(_ certificate: Certificate) {
        self = .certificate(
            names: certificate.dnsNames.map(CertificateName.dns) + certificate.uriNames.map(CertificateName.uri))
    }
}
