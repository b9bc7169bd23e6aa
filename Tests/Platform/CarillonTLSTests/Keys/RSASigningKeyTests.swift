import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// RS256 signatures: `openssl` checks those of the tests, and the tests check those of `openssl`.
struct RSASigningKeyTests {
    let authority: TestAuthority
    let message = Array("header.claims".utf8)

    init() throws { authority = try TestAuthority() }

    private func makeKey(bits: Int) throws -> SecretBytes {
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:\(bits) -out rsa\(bits)")
        return SecretBytes(copying: try authority.bytes("rsa\(bits)"))
    }

    @Test func `OpenSSL verifies a signature`() throws {
        let pem = try makeKey(bits: 2_048)
        let signature = try RSASigningKey(pem: pem).sign(message)
        #expect(signature.count == 256)
        try authority.openssl("pkey -in rsa2048 -pubout -out public.pem")
        try Data(message).write(to: URL(fileURLWithPath: authority.path("message")))
        try Data(signature).write(to: URL(fileURLWithPath: authority.path("signature")))
        let verdict = try authority.openssl("dgst -sha256 -verify public.pem -signature signature message")
        #expect(verdict == "Verified OK\n")
    }

    @Test func `a signature of OpenSSL is valid`() throws {
        _ = try makeKey(bits: 2_048)
        try authority.openssl("pkey -in rsa2048 -pubout -out public.pem")
        try Data(message).write(to: URL(fileURLWithPath: authority.path("message")))
        try authority.openssl("dgst -sha256 -sign rsa2048 -out other message")
        let key = try RSAVerifyingKey(pem: SecretBytes(copying: try authority.bytes("public.pem")))
        #expect(key.isValidSignature(try authority.bytes("other"), for: message))
    }

    @Test func `another signature is refused`() throws {
        let pem = try makeKey(bits: 2_048)
        var signature = try RSASigningKey(pem: pem).sign(message)
        let key = try RSAVerifyingKey(pem: pem)
        #expect(key.isValidSignature(signature, for: message))
        #expect(!key.isValidSignature(signature, for: message + [0]))
        signature[7] ^= 1
        #expect(!key.isValidSignature(signature, for: message))
        #expect(!key.isValidSignature([], for: message))
    }

    @Test func `a key of another kind is refused with a text`() throws {
        let curve = try authority.ellipticKey("curve")
        let error = #expect(throws: TLSError.self) { try RSASigningKey(pem: curve) }
        #expect(error?.description.contains("RS256 needs an RSA key") == true)
    }

    @Test func `a short key is refused`() throws {
        let short = try makeKey(bits: 1_024)
        #expect(throws: TLSError.self) { try RSASigningKey(pem: short) }
    }

    @Test func `bytes that are no key are refused`() {
        #expect(throws: TLSError.self) { try RSAVerifyingKey(pem: SecretBytes(copying: Array("noise".utf8))) }
    }
}
