import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// A certificate with its key, as files have them.
struct TLSIdentityTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    @Test(arguments: ["", " -legacy"]) func aKeyAndACertificateAreReadFromPKCS12(option: String) throws {
        try authority.issue("push", subject: "/UID=com.example.app/CN=push", names: "DNS:push.test")
        try authority.openssl(
            "pkcs12 -export\(option) -in push.pem -inkey push.key -certfile ca.pem -out push.p12 -passout pass:secret"
        )
        let archive = SecretBytes(copying: try authority.bytes("push.p12"))
        let identity = try TLSIdentity.pkcs12(archive, password: "secret")
        #expect(identity.certificate == (try authority.identity("push").certificate))
        #expect(identity.certificate.userID == "com.example.app")
        let remaining = try #require(identity.certificate.notAfterSeconds) - Int64(Date().timeIntervalSince1970)
        #expect((80_000...90_000).contains(remaining))
        #expect(identity.certificate.pushScope.apnsTopics.isEmpty)
        #expect(!identity.certificate.pushScope.isForProduction)
        #expect(throws: TLSError.self) { try TLSIdentity.pkcs12(archive, password: "wrong") }
        _ = try TLSContext.client(identity: identity)
    }

    @Test func aKeyOfAnotherCertificateIsRefused() throws {
        try authority.issue("one", subject: "/CN=one", names: "DNS:one.test")
        try authority.issue("two", subject: "/CN=two", names: "DNS:two.test")
        #expect(throws: TLSError.self) {
            try TLSIdentity.pemFiles(certificateChain: authority.path("one.pem"), key: authority.path("two.key"))
        }
    }
}
