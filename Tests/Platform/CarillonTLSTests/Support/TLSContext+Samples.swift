import CarillonTLS
import CarillonTestKit

extension TLSContext {
    /// Makes a server with a certificate, and a client that trusts its authority; both demand a common protocol.
    static func serverAndClient() throws -> (authority: TestAuthority, server: TLSContext, client: TLSContext) {
        let authority = try TestAuthority()
        try authority.issue("server", subject: "/CN=server", names: "DNS:carillon.test,IP:127.0.0.1")
        let server = try TLSContext.server(
            identity: authority.identity("server"),
            applicationProtocols: ["h2", "carillon/1"],
            requiresApplicationProtocol: true
        )
        let client = try TLSContext.client(
            trust: .authorities(path: authority.path("ca.pem")),
            applicationProtocols: ["carillon/1", "h2"],
            requiresApplicationProtocol: true
        )
        return (authority, server, client)
    }
}
