import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// Keys on the curve P-256, and their signatures.
struct SigningKeyTests {
    let authority: TestAuthority
    let message = Array("header.claims".utf8)

    init() throws { authority = try TestAuthority() }

    private func makeKey(_ name: String, curve: String) throws -> SecretBytes {
        try authority.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:\(curve) -out \(name)")
        return SecretBytes(copying: try authority.bytes(name))
    }

    @Test func `a signature is raw and verifies`() throws {
        let pem = try makeKey("key.p8", curve: "P-256")
        let key = try SigningKey(pem: pem)
        let publicKey = try VerifyingKey(pem: pem)
        // Many, so that some have a half with leading zeros.
        for number in 0..<600 {
            let message = message + Array("\(number)".utf8)
            var signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(publicKey.isValidSignature(signature, for: message))
            signature[number % 64] ^= 1
            #expect(!publicKey.isValidSignature(signature, for: message))
        }
        #expect(!publicKey.isValidSignature([], for: message))
        #expect(!publicKey.isValidSignature([UInt8](repeating: 0, count: 64), for: message))
    }

    @Test func `a signature verifies with OpenSSL`() throws {
        let key = try SigningKey(pem: makeKey("key.p8", curve: "P-256"))
        let raw = try key.sign(message)
        try authority.openssl("pkey -in key.p8 -pubout -out public.pem")
        try Data(message).write(to: URL(fileURLWithPath: authority.path("message")))
        try Data(der(raw)).write(to: URL(fileURLWithPath: authority.path("signature")))
        let verdict = try authority.openssl("dgst -sha256 -verify public.pem -signature signature message")
        #expect(verdict == "Verified OK\n")
    }

    /// Converts a signature in another way than the module: two positive integers in a sequence.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw.prefix(32), raw.suffix(32)].flatMap { half -> [UInt8] in
            var digits = Array(half.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [2, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    @Test func `a signature verifies with the private or the public key`() throws {
        let pem = try makeKey("key.p8", curve: "P-256")
        let key = try SigningKey(pem: pem)
        let signature = try key.sign(message)
        #expect(try VerifyingKey(pem: pem).isValidSignature(signature, for: message))
        try authority.openssl("pkey -in key.p8 -pubout -out public.pem")
        let publicKey = SecretBytes(copying: try authority.bytes("public.pem"))
        #expect(try VerifyingKey(pem: publicKey).isValidSignature(signature, for: message))
    }

    @Test func `a key of another kind is refused with a text`() throws {
        let other = try makeKey("p384", curve: "P-384")
        let error = #expect(throws: TLSError.self) { try SigningKey(pem: other) }
        #expect(error?.description.contains("P-256") == true)
        let noise = SecretBytes(copying: Array("noise".utf8))
        #expect(throws: TLSError.self) { try SigningKey(pem: noise) }
        try authority.openssl("pkcs8 -topk8 -in p384 -out locked -passout pass:secret")
        let locked = SecretBytes(copying: try authority.bytes("locked"))
        #expect(throws: TLSError.self) { try SigningKey(pem: locked) }
    }

    @Test func `the public point of a compressed key is whole`() throws {
        try authority.openssl("ecparam -name prime256v1 -genkey -noout -conv_form compressed -out compressed.key")
        try authority.openssl("pkey -in compressed.key -ec_conv_form uncompressed -out plain.key")
        let points = try ["compressed.key", "plain.key"].map {
            try SigningKey(pem: SecretBytes(copying: try authority.bytes($0))).publicPoint
        }
        #expect(points[0].count == P256Point.byteCount)
        #expect(points[0] == points[1])
    }
}
