import CarillonTestKit
import Testing

@testable import CarillonTLS

/// The demands of a context on the other side: a certificate that it trusts, and a common protocol.
struct TLSContextTests {
    private let authority: TestAuthority
    private let server: TLSContext
    private let client: TLSContext

    init() throws { (authority, server, client) = try TLSContext.serverAndClient() }

    @Test func `an address is verified against the addresses of the certificate`() throws {
        #expect(
            try TLSPair(client: client, server: server, serverName: "127.0.0.1").handshake().client
                == .success(.complete))
        let other = try TLSPair(client: client, server: server, serverName: "127.0.0.2").handshake()
        #expect(other.client == .failure(.certificateRejected(.nameMismatch)))
    }

    @Test func `a certificate of another name is rejected`() throws {
        let ends = try TLSPair(client: client, server: server, serverName: "other.test").handshake()
        #expect(ends.client == .failure(.certificateRejected(.nameMismatch)))
        #expect(ends.server == .failure(.alertReceived(.badCertificate)))
    }

    @Test func `an expired certificate is rejected`() throws {
        try authority.issue("old", subject: "/CN=old", names: "DNS:carillon.test", days: -1)
        let old = try TLSContext.server(identity: authority.identity("old"), applicationProtocols: ["h2"])
        let ends = try TLSPair(client: client, server: old).handshake()
        #expect(ends.client == .failure(.certificateRejected(.expired)))
        #expect(ends.server == .failure(.alertReceived(.certificateExpired)))
    }

    @Test func `an unknown authority is rejected`() throws {
        let client = try TLSContext.client(trust: .system, applicationProtocols: ["h2"])
        let ends = try TLSPair(client: client, server: server).handshake()
        #expect(ends.client == .failure(.certificateRejected(.unknownIssuer)))
        #expect(ends.server == .failure(.alertReceived(.unknownAuthority)))
    }

    @Test(arguments: [["smtp"], []]) func `the server refuses without a common protocol`(offer: [String]) throws {
        let other = try TLSContext.client(
            trust: .authorities(path: authority.path("ca.pem")),
            applicationProtocols: offer
        )
        let ends = try TLSPair(client: other, server: server).handshake()
        #expect(ends.server == .failure(.noApplicationProtocol))
        #expect(ends.client == .failure(.alertReceived(.noApplicationProtocol)))
    }

    @Test func `the client refuses a server without a protocol`() throws {
        let plain = try TLSContext.server(identity: authority.identity("server"))
        #expect(try TLSPair(client: client, server: plain).handshake().client == .failure(.noApplicationProtocol))
    }

    /// Makes a context of a server that asks each client for a certificate.
    private func serverWithClientCertificates() throws -> TLSContext {
        try TLSContext.server(
            identity: authority.identity("server"),
            clientCertificates: .required(authorities: authority.path("ca.pem"))
        )
    }

    @Test func `the server reads the names of a client's certificate`() throws {
        try authority.issue(
            "caller",
            subject: "/UID=com.example.app/CN=caller",
            names: "URI:carillon:principal/game,DNS:game.test"
        )
        let caller = try TLSContext.client(
            trust: .authorities(path: authority.path("ca.pem")),
            identity: authority.identity("caller")
        )
        let pair = try TLSPair(client: caller, server: serverWithClientCertificates())
        #expect(pair.handshake().server == .success(.complete))
        let seen = try #require(pair.server.peerCertificate)
        let names = (seen.commonName, seen.userID, seen.uriNames, seen.dnsNames)
        #expect(names == ("caller", "com.example.app", ["carillon:principal/game"], ["game.test"]))
        #expect(seen == (try authority.identity("caller").certificate))
    }

    @Test func `a client without a certificate is refused if one is required`() throws {
        let anonymous = try TLSContext.client(trust: .authorities(path: authority.path("ca.pem")))
        let ends = try TLSPair(client: anonymous, server: serverWithClientCertificates()).handshake()
        #expect(ends.server == .failure(.certificateRejected(.missing)))
        #expect(ends.client == .failure(.alertReceived(.certificateRequired)))
    }
}
