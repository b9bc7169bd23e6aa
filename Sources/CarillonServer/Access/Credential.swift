import CarillonTLS

/// What a client is known by, so that it can be asked for again when the principals have changed; no secret.
enum Credential: Hashable, Sendable {
    /// An API key, by its SHA-256.
    case key(hash: [UInt8])
    /// A certificate, by its DNS names and then its URI names.
    case certificate(names: [String])

    /// Of an API key.
    init(key: [UInt8]) {
        self = .key(hash: SHA256.hash(key))
    }

    /// Of a client certificate.
    init(_ certificate: Certificate) {
        self = .certificate(names: certificate.dnsNames + certificate.uriNames)
    }
}
