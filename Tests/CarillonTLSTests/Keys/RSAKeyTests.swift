import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// RS256 signatures, judged by `openssl`, whose signatures are judged here.
struct RSAKeyTests {
    let authority: TestAuthority
    let message = Array("header.claims".utf8)

    init() throws { authority = try TestAuthority() }

    private func makeKey(bits: Int) throws -> SecretBytes {
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:\(bits) -out rsa\(bits)")
        return SecretBytes(copying: try authority.bytes("rsa\(bits)"))
    }

    @Test func aSignatureVerifiesWithOpenSSLAndOneOfOpenSSLHere() throws {
        let pem = try makeKey(bits: 2_048)
        let signature = try RSASigningKey(pem: pem).sign(message)
        #expect(signature.count == 256)
        try authority.openssl("pkey -in rsa2048 -pubout -out public.pem")
        try Data(message).write(to: URL(fileURLWithPath: authority.path("message")))
        try Data(signature).write(to: URL(fileURLWithPath: authority.path("signature")))
        let verdict = try authority.openssl("dgst -sha256 -verify public.pem -signature signature message")
        #expect(verdict == "Verified OK\n")
        try authority.openssl("dgst -sha256 -sign rsa2048 -out other message")
        let key = try RSAVerifyingKey(pem: SecretBytes(copying: try authority.bytes("public.pem")))
        #expect(key.isValidSignature(try authority.bytes("other"), for: message))
    }

    @Test func anotherSignatureIsRefused() throws {
        let pem = try makeKey(bits: 2_048)
        var signature = try RSASigningKey(pem: pem).sign(message)
        let key = try RSAVerifyingKey(pem: pem)
        #expect(key.isValidSignature(signature, for: message))
        #expect(!key.isValidSignature(signature, for: message + [0]))
        signature[7] ^= 1
        #expect(!key.isValidSignature(signature, for: message))
        #expect(!key.isValidSignature([], for: message))
    }

    @Test func aKeyOfAnotherKindIsRefusedWithAText() throws {
        try authority.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out curve")
        let curve = SecretBytes(copying: try authority.bytes("curve"))
        let error = #expect(throws: TLSError.self) { try RSASigningKey(pem: curve) }
        #expect(error?.description.contains("RS256 needs an RSA key") == true)
        let short = try makeKey(bits: 1_024)
        #expect(throws: TLSError.self) { try RSASigningKey(pem: short) }
        #expect(throws: TLSError.self) { try RSAVerifyingKey(pem: SecretBytes(copying: Array("noise".utf8))) }
    }
}
