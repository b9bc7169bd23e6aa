import CarillonCore
import CarillonTestKit
import Testing

/// The subscriptions of browsers, read and checked.
struct WebPushSubscriptionTests {
    private static let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let endpoint = "https://wns2-par02p.notify.windows.com/w/?token=BQY%2bA%2fz"

    private static func json(
        endpoint: String = endpoint, key: String = key, secret: String = secret, more: String = ""
    ) -> [UInt8] {
        Array(#"{"endpoint":"\#(endpoint)",\#(more)"keys":{"p256dh":"\#(key)","auth":"\#(secret)"}}"#.utf8)
    }

    /// The bytes of a subscription are its version, its secret, its key, and its endpoint to the end.
    private static let keyOffset = 1 + WebPushSubscription.secretBytes
    private static let bytesBeforeEndpoint = keyOffset + WebPushSubscription.publicKeyBytes

    @Test func `a subscription of a browser is read and read back`() throws {
        let subscription = try WebPushSubscription(json: Self.json(more: #""expirationTime":null,"#))
        #expect(subscription.endpoint == Self.endpoint)
        #expect(subscription.address?.target == "/w/?token=BQY%2bA%2fz", "an endpoint is never written in another way")
        #expect([subscription.publicKey.count, subscription.secret.count] == [65, 16])
        #expect(try WebPushSubscription(bytes: subscription.bytes) == subscription)
        #expect(try WebPushSubscription(json: subscription.json) == subscription)
        #expect(subscription.bytes.count == Self.bytesBeforeEndpoint + Self.endpoint.utf8.count)
    }

    @Test func `nothing of a subscription is shown but its host`() throws {
        let subscription = try WebPushSubscription(json: Self.json())
        #expect("\(subscription)" == "wns2-par02p.notify.windows.com")
        #expect(String(reflecting: subscription) == "wns2-par02p.notify.windows.com")
    }

    /// JSON that is no subscription.
    struct Refused: CustomTestStringConvertible {
        let reason: String
        let json: [UInt8]

        var testDescription: String { reason }
    }

    @Test(arguments: [
        Refused(reason: "no byte", json: []),
        Refused(reason: "a list", json: Array("[]".utf8)),
        Refused(reason: "5,000 spaces", json: [UInt8](repeating: 0x20, count: 5_000)),
    ])
    func `a text that is no object is refused`(_ refused: Refused) {
        #expect(throws: WebPushSubscriptionError.notJSON) { try WebPushSubscription(json: refused.json) }
    }

    @Test(arguments: [
        Refused(reason: "no endpoint", json: Array("{}".utf8)),
        Refused(reason: "no TLS", json: json(endpoint: "http://example.com/")),
        Refused(reason: "1,025 bytes", json: json(endpoint: "https://a.b/" + String(repeating: "a", count: 1_013))),
        Refused(reason: "an address of IPv4", json: json(endpoint: "https://127.0.0.1/")),
        Refused(reason: "an address of IPv6", json: json(endpoint: "https://[::1]/x")),
        Refused(reason: "a user and a password", json: json(endpoint: "https://u:p@example.com/")),
    ])
    func `a bad endpoint is refused`(_ refused: Refused) {
        #expect(throws: WebPushSubscriptionError.badEndpoint) { try WebPushSubscription(json: refused.json) }
    }

    @Test(arguments: [
        Refused(reason: "no keys", json: Array(#"{"endpoint":"https://a.b/","keys":7}"#.utf8)),
        Refused(reason: "an empty key", json: json(key: "")),
        Refused(reason: "padding", json: json(key: key + "=")),
        Refused(reason: "as short as a secret", json: json(key: secret)),
        Refused(reason: "the alphabet of plain Base64", json: json(key: key.replacing("-", with: "+"))),
    ])
    func `a bad key is refused`(_ refused: Refused) {
        #expect(throws: WebPushSubscriptionError.badKey) { try WebPushSubscription(json: refused.json) }
    }

    @Test(arguments: [
        Refused(reason: "an empty secret", json: json(secret: "")),
        Refused(reason: "as long as a key", json: json(secret: key)),
        Refused(reason: "padding", json: json(secret: secret + "==")),
    ])
    func `a bad secret is refused`(_ refused: Refused) {
        #expect(throws: WebPushSubscriptionError.badSecret) { try WebPushSubscription(json: refused.json) }
    }

    @Test func `bytes that are no subscription are refused`() throws {
        let valid = try WebPushSubscription(json: Self.json()).bytes
        let withoutEndpoint = Array(valid.prefix(Self.bytesBeforeEndpoint))
        let notUTF8 = valid + [0xFF]
        let tooLong = valid + Array(repeating: 0x61, count: 2_048)
        let laterVersion: [UInt8] = [2] + valid.dropFirst()
        for bytes in [[], withoutEndpoint, tooLong, laterVersion, notUTF8] {
            #expect(throws: WebPushSubscriptionError.badBytes) { try WebPushSubscription(bytes: bytes) }
        }
        var compressedKey = valid
        compressedKey[Self.keyOffset] = 2
        #expect(throws: WebPushSubscriptionError.badKey) { try WebPushSubscription(bytes: compressedKey) }
    }

    /// The test has no expectation: a trap would end its process.
    @Test(arguments: TestSeeds.of(1...3)) func `no bytes trap`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let json = Self.json()
        let bytes = try WebPushSubscription(json: Self.json()).bytes
        for _ in 0..<300 {
            var damagedJSON = json
            var damagedBytes = bytes
            for _ in 0..<3 {
                damagedJSON[Int.random(in: 0..<json.count, using: &random)] = .random(in: .min ... .max, using: &random)
                damagedBytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            let length = Int.random(in: 0...bytes.count, using: &random)
            _ = try? WebPushSubscription(json: damagedJSON)
            _ = try? WebPushSubscription(bytes: Array(damagedBytes.prefix(length)))
        }
    }
}
