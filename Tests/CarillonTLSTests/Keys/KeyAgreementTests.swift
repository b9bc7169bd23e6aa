import CarillonTLS
import CarillonTestKit
import Testing

/// Primitives of Web Push, with the vectors of their specifications.
struct KeyAgreementTests {
    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
            UInt8(String(Array(hex)[$0..<($0 + 2)]), radix: 16)
        }
    }

    private func agree(_ peer: [UInt8], _ key: [UInt8]?) throws -> (isGood: Bool, point: [UInt8], secret: [UInt8]) {
        var agreement = try P256KeyAgreement()
        var point = [UInt8](repeating: 0, count: 65)
        var secret = [UInt8](repeating: 0, count: 32)
        let isGood = try peer.withUnsafeBytes { peer in
            try point.withUnsafeMutableBytes { point in
                try secret.withUnsafeMutableBytes { secret in
                    try agreement.agree(
                        with: peer, writingPublicKeyTo: point, writingSecretTo: secret, privateKey: key)
                }
            }
        }
        return (isGood, point, secret)
    }

    private static let generator =
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b31"
        + "5ececbb6406837bf51f5"

    /// Known answers of NIST for ECDH on P-256 (CAVS 14.1, "ECC CDH Primitive", count 0).
    @Test func theKeysOfNISTsVectorAgree() throws {
        let peer =
            "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
            + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"
        let key = "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534"
        let own =
            "04ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230"
            + "28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141"
        let (isGood, point, secret) = try agree(bytes(peer), bytes(key))
        #expect(isGood)
        #expect(point == bytes(own))
        #expect(secret == bytes("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"))
    }

    @Test func twoFreshKeysAgree() throws {
        let generator = bytes(Self.generator)
        for _ in 0..<20 {
            let one = try agree(generator, nil)
            let other = try agree(generator, nil)
            #expect(one.isGood)
            #expect(other.isGood)
            #expect(one.point != other.point)
            // The secret with the generator is the first coordinate of the public key.
            #expect(one.secret == Array(one.point[1..<33]))
            #expect(P256Point.isValid(one.point))
        }
    }

    @Test func bytesThatAreNeitherPointNorKeyAreRefused() throws {
        let generator = bytes(Self.generator)
        var outside = generator
        outside[64] ^= 1
        let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let peers: [[UInt8]] = [[], [0], outside, Array(generator.dropLast()), [5] + generator.dropFirst()]
        for peer in peers {
            #expect(try !agree(peer, nil).isGood)
            #expect(!P256Point.isValid(peer))
            #expect(VerifyingKey(point: peer) == nil)
        }
        for key in [[], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32), [1]] {
            #expect(try !agree(generator, key).isGood)
        }
        #expect(try agree(generator, Array(order.dropLast()) + [0x50]).isGood)
    }

    @Test func thePublicPointOfACompressedKeyIsWhole() throws {
        let authority = try TestAuthority()
        try authority.openssl("ecparam -name prime256v1 -genkey -noout -conv_form compressed -out compressed.key")
        try authority.openssl("pkey -in compressed.key -ec_conv_form uncompressed -out plain.key")
        let points = try ["compressed.key", "plain.key"].map {
            try SigningKey(pem: SecretBytes(copying: try authority.bytes($0))).publicPoint
        }
        #expect(points[0].count == 65)
        #expect(points[0] == points[1])
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 131),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b65792046697273"
                + "74",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func hmacAgreesWithTheVectorOfRFC4231(_ key: String, _ message: String, _ expected: String) throws {
        var hmac = try HMACSHA256()
        let (key, message) = (bytes(key), bytes(message))
        for split in [0, message.count / 2, message.count] {
            var result = [UInt8](repeating: 0, count: 32)
            try key.withUnsafeBytes { key in
                try message.withUnsafeBytes { message in
                    try result.withUnsafeMutableBytes { result in
                        try hmac.authenticate(
                            key: key, message: UnsafeRawBufferPointer(rebasing: message[..<split]),
                            then: UnsafeRawBufferPointer(rebasing: message[split...]), into: result)
                    }
                }
            }
            #expect(result == bytes(expected))
        }
    }

    /// Test cases 1 and 2 of "The Galois/Counter Mode of Operation", McGrew and Viega.
    @Test(arguments: [
        ("", "58e2fccefa7e3061367f1d57a4e7455a"),
        (
            "00000000000000000000000000000000",
            "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
        ),
    ])
    func aesAgreesWithTheVectorOfTheSpecification(_ plaintext: String, _ expected: String) throws {
        var cipher = try AES128GCM()
        let (key, nonce) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 12))
        var text = bytes(plaintext) + [UInt8](repeating: 0, count: 16)
        try key.withUnsafeBytes { key in
            try nonce.withUnsafeBytes { nonce in
                try text.withUnsafeMutableBytes { try cipher.seal(key: key, nonce: nonce, text: $0) }
            }
        }
        #expect(text == bytes(expected))
        var broken = text
        broken[0] ^= 1
        let opened = key.withUnsafeBytes { key in
            nonce.withUnsafeBytes { nonce in
                (
                    broken.withUnsafeMutableBytes { cipher.open(key: key, nonce: nonce, text: $0) },
                    text.withUnsafeMutableBytes { cipher.open(key: key, nonce: nonce, text: $0) }
                )
            }
        }
        #expect(opened == (false, true))
        #expect(Array(text.dropLast(16)) == bytes(plaintext))
    }
}
