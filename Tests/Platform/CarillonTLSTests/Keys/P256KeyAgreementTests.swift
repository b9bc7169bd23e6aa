import CarillonTLS
import Testing

/// Two keys agree on a secret, with which Web Push encrypts.
struct P256KeyAgreementTests {
    /// One side of an agreement: its public key, and the secret.
    private struct Side: Equatable {
        let point: [UInt8]
        let secret: [UInt8]
    }

    /// Agrees with the owner of a public key; returns nil if `peer` or `key` is refused.
    private func agree(with peer: [UInt8], key: [UInt8]? = nil) throws -> Side? {
        var agreement = try P256KeyAgreement()
        var point = [UInt8](repeating: 0, count: P256Point.byteCount)
        var secret = [UInt8](repeating: 0, count: P256KeyAgreement.secretBytes)
        let isGood = try peer.withUnsafeBytes { peer in
            try point.withUnsafeMutableBytes { point in
                try secret.withUnsafeMutableBytes { secret in
                    try agreement.agree(
                        with: peer, writingPublicKeyTo: point, writingSecretTo: secret, privateKey: key)
                }
            }
        }
        return isGood ? Side(point: point, secret: secret) : nil
    }

    /// Known answers of NIST for ECDH on P-256 (CAVS 14.1, "ECC CDH Primitive", count 0).
    @Test func `the keys of NIST's vector agree`() throws {
        let peer = bytes(
            ofHex: "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
                + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac")
        let key = bytes(ofHex: "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
        let side = Side(
            point: bytes(
                ofHex: "04ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230"
                    + "28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141"),
            secret: bytes(ofHex: "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"))
        #expect(try agree(with: peer, key: key) == side)
    }

    /// With the generator as the other public key, the secret is the first coordinate of one's own public key.
    @Test func `a fresh key is valid and agrees with the generator`() throws {
        for _ in 0..<20 {
            let side = try #require(try agree(with: SamplePoints.generator))
            #expect(P256Point.isValid(side.point))
            #expect(side.secret == Array(side.point[1..<33]))
        }
    }

    @Test func `each agreement has a fresh key`() throws {
        let points = try (0..<20).map { _ in try #require(try agree(with: SamplePoints.generator)).point }
        #expect(Set(points).count == 20)
    }

    @Test(arguments: SamplePoints.invalid) func `a peer that is no point is refused`(_ peer: [UInt8]) throws {
        #expect(try agree(with: peer) == nil)
    }

    /// The order of the group (SEC 2, section 2.4.2): a private key is less, and not 0.
    private static let order = bytes(ofHex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    @Test func `the greatest private key is accepted`() throws {
        #expect(try agree(with: SamplePoints.generator, key: Array(Self.order.dropLast()) + [0x50]) != nil)
    }

    @Test(arguments: [[], [1], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32)])
    func `a private key outside of the group is refused`(_ key: [UInt8]) throws {
        #expect(try agree(with: SamplePoints.generator, key: key) == nil)
    }

    @Test func `a point of the curve is valid`() {
        #expect(P256Point.isValid(SamplePoints.generator))
    }

    @Test(arguments: SamplePoints.invalid) func `bytes that are no point are invalid and no key`(_ bytes: [UInt8]) {
        #expect(!P256Point.isValid(bytes))
        #expect(VerifyingKey(point: bytes) == nil)
    }
}
