import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// A certificate with its key, as files have them.
struct TLSIdentityTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// Makes a PKCS #12 file whose password is `secret`.
    private func archive(option: String = "") throws -> SecretBytes {
        try authority.issue("push", subject: "/UID=com.example.app/CN=push", names: "DNS:push.test")
        try authority.openssl(
            "pkcs12 -export\(option) -in push.pem -inkey push.key -certfile ca.pem -out push.p12 -passout pass:secret"
        )
        return SecretBytes(copying: try authority.bytes("push.p12"))
    }

    @Test(arguments: ["", " -legacy"]) func `a key and a certificate are read from PKCS 12`(option: String) throws {
        let identity = try TLSIdentity.pkcs12(archive(option: option), password: "secret")
        #expect(identity.certificate == (try authority.identity("push").certificate))
        #expect(identity.certificate.userID == "com.example.app")
        let remaining = try #require(identity.certificate.notAfterSeconds) - Int64(Date().timeIntervalSince1970)
        #expect((80_000...90_000).contains(remaining))
        #expect(identity.certificate.pushScope.apnsTopics.isEmpty)
        #expect(!identity.certificate.pushScope.isForProduction)
        _ = try TLSContext.client(identity: identity)
    }

    @Test func `a wrong password is refused`() throws {
        let pkcs12 = try archive()
        #expect(throws: TLSError.self) { try TLSIdentity.pkcs12(pkcs12, password: "wrong") }
    }

    @Test func `a key of another certificate is refused`() throws {
        try authority.issue("one", subject: "/CN=one", names: "DNS:one.test")
        try authority.issue("two", subject: "/CN=two", names: "DNS:two.test")
        #expect(throws: TLSError.self) {
            try TLSIdentity.pemFiles(certificateChain: authority.path("one.pem"), key: authority.path("two.key"))
        }
    }
}
