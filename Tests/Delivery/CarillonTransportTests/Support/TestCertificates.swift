import CarillonAPNs
import CarillonCore
import CarillonTLS
import CarillonTestKit
import CarillonTransport

/// Certificates and a provider key for all tests, made once: making keys takes longer than most tests.
final class TestCertificates: Sendable {
    static let shared = Result { try TestCertificates() }

    enum ServerCertificate: CaseIterable {
        case good, otherHost, expired, foreign
    }

    struct Missing: Error {}

    let clientContext: TLSContext
    private let identities: [ServerCertificate: TLSIdentity]
    private let key: SigningKey

    private init() throws {
        let authority = try TestAuthority()
        let foreign = try TestAuthority()
        try authority.issue("good", subject: "/CN=localhost", names: "DNS:localhost")
        try authority.issue("otherHost", subject: "/CN=other.example.com", names: "DNS:other.example.com")
        try authority.issue("expired", subject: "/CN=localhost", names: "DNS:localhost", days: -1)
        try foreign.issue("foreign", subject: "/CN=localhost", names: "DNS:localhost")
        key = try SigningKey(pem: SecretBytes.load(path: authority.path("good.key")))
        clientContext = try TLSContext.client(
            trust: .authorities(path: authority.path("ca.pem")),
            applicationProtocols: ["h2"],
            requiresApplicationProtocol: true
        )
        identities = [
            .good: try authority.identity("good"), .otherHost: try authority.identity("otherHost"),
            .expired: try authority.identity("expired"), .foreign: try foreign.identity("foreign"),
        ]
    }

    func serverContext(_ certificate: ServerCertificate, protocols: [String]) throws -> TLSContext {
        guard let identity = identities[certificate] else { throw Missing() }
        return try TLSContext.server(identity: identity, applicationProtocols: protocols)
    }

    /// Returns an APNs at that address, for requests with a provider token or with a certificate.
    func target(host: String = "127.0.0.1", port: Int, usesToken: Bool = true) -> PoolTarget {
        PoolTarget(
            key: PoolKey(destination: .apnsProduction, credential: "main"),
            server: PoolTarget.Server(host: host, port: port, certificateName: "localhost"), tls: clientContext,
            authorization: usesToken ? .providerToken(tokens()) : .certificate, adapter: APNsAdapter(epoch: .zero))
    }

    func tokens() -> ProviderTokenSource {
        ProviderTokenSource(teamID: "TEAM123456", keyID: "KEY1234567", key: key)
    }
}
