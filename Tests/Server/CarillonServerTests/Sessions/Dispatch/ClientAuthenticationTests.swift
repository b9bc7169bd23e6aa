import CarillonTestKit
import Foundation
import Testing

@testable import CarillonServer

/// The rights of a client, and what a change of the known clients means for it.
struct ClientAuthenticationTests {
    private static let certificate = ClientIdentity.certificate(names: [.dns("game.example.com")])
    private let directory = TemporaryDirectory()

    private func principals(_ name: String = "game", role: String = "send") throws -> PrincipalsFile {
        let text = """
            {"principals": [{"name": "\(name)", "keySHA256": [], "certificateNames": ["\(name).example.com"],
              "grants": [{"app": "*", "roles": ["\(role)"]}]}]}
            """
        return try PrincipalsFile.load(path: directory.write(text))
    }

    /// Returns the reason for which the connection of a client with a certificate ends after a reload; nil if it goes
    /// on.
    private func reason(after principals: PrincipalsFile, haveAuthoritiesChanged: Bool = false) throws -> String? {
        let authenticator = Authenticator(try self.principals())
        var authentication = ClientAuthentication(authenticator)
        let shown = authentication.certificateShown(Self.certificate)
        let before = try #require(shown)
        authenticator.apply(principals)
        let clients = SessionHandler.ClientsChanged(
            haveAuthoritiesChanged: haveAuthoritiesChanged, reconnectAfterMilliseconds: 0)
        return authentication.rightsChange(from: before, clients)?.reason
    }

    @Test func `the same rights change nothing`() throws {
        #expect(try reason(after: principals()) == nil)
    }

    @Test func `other rights end the connection`() throws {
        #expect(try reason(after: principals(role: "observe")) == "the rights of the client have changed")
    }

    @Test func `a client that is no longer known has no rights`() throws {
        #expect(try reason(after: principals("shop")) == "the client is not known any more")
    }

    @Test func `other authorities need a new handshake`() throws {
        let reason = try reason(after: principals(), haveAuthoritiesChanged: true)
        #expect(reason == "the trusted authorities have changed: the client must connect again")
    }

    @Test func `a wrong key leaves the client as it was`() throws {
        var authentication = ClientAuthentication(Authenticator(try principals()))
        let unknown = authentication.keyShown(Array("x".utf8))
        #expect(unknown == nil)
    }
}
