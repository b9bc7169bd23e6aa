import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonServer

/// The principal that a credential belongs to, before and after a reload.
struct AuthenticatorTests {
    private let directory = TemporaryDirectory()

    /// Makes a file with one principal that has the keys and certificate names.
    private func principals(
        _ name: String, keys: [String] = [], certificateNames: [String] = [], role: String = "send"
    ) throws -> PrincipalsFile {
        let list = { (texts: [String]) in texts.map { "\"\($0)\"" }.joined(separator: ", ") }
        let text = """
            {"principals": [{"name": "\(name)", "keySHA256": [\(list(keys))],
              "certificateNames": [\(list(certificateNames))],
              "grants": [{"app": "*", "roles": ["\(role)"]}]}]}
            """
        return try PrincipalsFile.load(path: directory.write(text))
    }

    @Test func `a key belongs to its principal`() throws {
        let made = try NewAPIKey()
        let authenticator = Authenticator(try principals("game", keys: [made.sha256]))
        #expect(authenticator.principal(for: ClientIdentity(key: Array(made.key.utf8)))?.name == "game")
        #expect(authenticator.principal(for: ClientIdentity(key: Array((made.key + "x").utf8))) == nil)
        #expect(authenticator.principal(for: ClientIdentity(key: [])) == nil)
    }

    @Test func `a certificate belongs to the principal of its first known name`() throws {
        let authenticator = Authenticator(try principals("game", certificateNames: ["game.example.com"]))
        let known = CertificateName.dns("game.example.com")
        let other = CertificateName.dns("x.example.com")
        #expect(authenticator.principal(for: .certificate(names: [known]))?.name == "game")
        #expect(authenticator.principal(for: .certificate(names: [other, known]))?.name == "game")
        #expect(authenticator.principal(for: .certificate(names: [other])) == nil)
        #expect(authenticator.principal(for: .certificate(names: [])) == nil)
    }

    @Test func `a name of one kind does not match a name of another`() throws {
        let host = "game.example.com"
        let uri = "spiffe://example.com/game"
        let authenticator = Authenticator(try principals("game", certificateNames: [host, uri]))
        #expect(authenticator.principal(for: .certificate(names: [.dns(host)]))?.name == "game")
        #expect(authenticator.principal(for: .certificate(names: [.uri(uri)]))?.name == "game")
        #expect(authenticator.principal(for: .certificate(names: [.uri(host), .dns(uri)])) == nil)
    }

    @Test(arguments: ["", "urn:uuid:1", "example.com/game", "example.com:443"])
    func `a name that no certificate can have is refused`(name: String) throws {
        #expect(throws: SettingsError.self) { try principals("game", certificateNames: [name]) }
    }

    @Test func `a reload changes rights and forgets keys`() throws {
        let old = try NewAPIKey()
        let new = try NewAPIKey()
        let oldKey = ClientIdentity(key: Array(old.key.utf8))
        let newKey = ClientIdentity(key: Array(new.key.utf8))
        let authenticator = Authenticator(try principals("game", keys: [old.sha256, new.sha256]))
        let before = try #require(authenticator.principal(for: oldKey))
        #expect(authenticator.principal(for: newKey) == before, "two keys of one principal")

        authenticator.apply(try principals("game", keys: [new.sha256], role: "observe"))
        #expect(authenticator.principal(for: oldKey) == nil)
        let after = try #require(authenticator.principal(for: newKey))
        #expect(after.name == before.name)
        #expect(after != before, "its roles have changed")
    }
}
