import CarillonCore
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
import Foundation
import Testing

/// The authorization of requests to push services.
struct VAPIDTokensTests {
    private let vectors: WebPushVectors

    init() throws { vectors = try WebPushVectors.load() }

    private static let hour: UInt64 = 3_600_000

    private func moment(_ hours: UInt64, wall: UInt64? = nil) -> Moment {
        Moment(
            wall: Timestamp(milliseconds: 1_790_000_000_000 + (wall ?? hours) * Self.hour),
            uptime: 5_000 + hours * Self.hour)
    }

    private func contact() throws -> VAPIDContact { try #require(VAPIDContact("mailto:push@example.com")) }

    @Test func `the token of RFC 8292 is verified`() throws {
        let vector = vectors.rfc8292
        let parts = vector.token.split(separator: ".").map(String.init)
        let key = try #require(VerifyingKey(point: vector.key.bytes))
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        #expect(key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        #expect(!key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[0])".utf8)))
    }

    @Test func `the claims are those of RFC 8292`() throws {
        let vector = vectors.rfc8292
        let claims = VAPIDClaims(
            origin: vector.audience, expiresAtSeconds: vector.expiresAt,
            contact: try #require(VAPIDContact(vector.contact)))
        // The example of the RFC has the same members in the same order.
        let signed = vector.token.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(String(decoding: claims.signingInput, as: UTF8.self) == signed)
    }

    @Test func `an authorization is signed with the key that it shows`() throws {
        let key = try SigningKey(pem: TestAuthority().ellipticKey("vapid.key"))
        let point = try key.publicPoint
        #expect(P256Point.isValid(point))
        var tokens = VAPIDTokens(contact: try contact(), publicKey: point)
        let text = try tokens.authorization(for: "https://fcm.googleapis.com", at: moment(0)) {
            input throws(TLSError) in try key.sign(input)
        }
        let parts = try #require(text.removing(prefix: "vapid t=")).components(separatedBy: ", k=")
        let digits = parts[0].split(separator: ".").map(String.init)
        #expect(Base64URL.decode(parts[1].utf8) == point)
        let verifying = try #require(VerifyingKey(point: point))
        #expect(
            verifying.isValidSignature(
                try #require(Base64URL.decode(digits[2].utf8)), for: Array("\(digits[0]).\(digits[1])".utf8)))
        let claims = String(decoding: try #require(Base64URL.decode(digits[1].utf8)), as: UTF8.self)
        #expect(
            claims == #"{"aud":"https://fcm.googleapis.com","exp":1790043200,"sub":"mailto:push@example.com"}"#)
    }

    /// Returns the numbers of the signatures that were made for each request.
    private func signatures(_ requests: [(String, Moment)]) throws -> [Int] {
        var tokens = VAPIDTokens(contact: try contact(), publicKey: [4])
        var count = 0
        return requests.map { origin, now in
            let sign: ([UInt8]) -> [UInt8] = { _ in
                count += 1
                return [UInt8(count)]
            }
            _ = tokens.authorization(for: origin, at: now, sign: sign)
            return count
        }
    }

    @Test func `a token is used again for its origin and renewed after six hours`() throws {
        let one = "https://a.example"
        let other = "https://b.example"
        let made = try signatures([
            (one, moment(0)), (one, moment(0)), (other, moment(1)), (one, moment(5)), (one, moment(6)),
            (one, moment(11)), (other, moment(7)), (one, moment(12)),
        ])
        #expect(made == [1, 1, 2, 2, 3, 3, 4, 5])
    }

    @Test(arguments: [0, 300] as [UInt64]) func `a new token is made after the clock was set`(_ wall: UInt64) throws {
        let origin = "https://a.example"
        let made = try signatures([(origin, moment(100)), (origin, moment(101)), (origin, moment(102, wall: wall))])
        #expect(made == [1, 1, 2])
    }

    @Test func `many origins do not grow memory`() throws {
        var tokens = VAPIDTokens(contact: try contact(), publicKey: [4])
        for number in 0..<1_000 {
            _ = tokens.authorization(for: "https://\(number).example", at: moment(UInt64(number / 250))) { _ in [] }
        }
        #expect(tokens.count == VAPIDTokens.maximumOrigins)
    }

    @Test func `a failed signature is not kept`() throws {
        var tokens = VAPIDTokens(contact: try contact(), publicKey: [4])
        #expect(throws: TLSError.self) {
            try tokens.authorization(for: "https://a.example", at: moment(0)) { _ throws(TLSError) in
                throw TLSError.misuse("x")
            }
        }
        #expect(tokens.count == 0)
    }

    @Test(arguments: [
        ("mailto:push@example.com", true), ("https://example.com/contact", true), ("mailto: push@example.com", false),
        ("mailto:push@localhost", false), ("mailto:push", false), ("mailto:@example.com", false), ("", false),
        ("mailto:a@b@example.com", false), ("http://example.com", false), ("https://localhost/", false),
        ("push@example.com", false), ("mailto:pu\"sh@example.com", true), ("mailto:push@exa mple.com", false),
    ])
    func `a contact is accepted if every service accepts it`(_ text: String, _ isGood: Bool) {
        #expect((VAPIDContact(text) != nil) == isGood)
    }
}
