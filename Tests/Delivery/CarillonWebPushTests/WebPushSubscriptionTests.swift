import CarillonCore
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
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

    @Test func aSubscriptionOfABrowserIsReadAndReadBack() throws {
        let subscription = try WebPushSubscription(json: Self.json(more: #""expirationTime":null,"#))
        #expect(subscription.endpoint == Self.endpoint)
        #expect(subscription.address?.target == "/w/?token=BQY%2bA%2fz", "an endpoint is never written in another way")
        #expect([subscription.publicKey.count, subscription.secret.count] == [65, 16])
        #expect(try WebPushSubscription(bytes: subscription.bytes) == subscription)
        #expect(try WebPushSubscription(json: subscription.json) == subscription)
        #expect(subscription.bytes.count == 82 + Self.endpoint.utf8.count)
        #expect(subscription.token == SHA256.hash(Array(Self.endpoint.utf8)))
        #expect(subscription.hasPointOfCurve)
    }

    @Test func nothingOfASubscriptionIsShownButItsHost() throws {
        let subscription = try WebPushSubscription(json: Self.json())
        #expect("\(subscription)" == "wns2-par02p.notify.windows.com")
        #expect(String(reflecting: subscription) == "wns2-par02p.notify.windows.com")
    }

    private static let offCurve = String(key.dropLast()) + "A"

    /// JSON that is no subscription.
    struct Refused: CustomTestStringConvertible {
        let why: String
        let json: [UInt8]

        var testDescription: String { why }
    }

    @Test(arguments: [
        Refused(why: "no byte", json: []),
        Refused(why: "a list", json: Array("[]".utf8)),
        Refused(why: "5,000 spaces", json: [UInt8](repeating: 0x20, count: 5_000)),
    ])
    func aTextThatIsNoObjectIsRefused(_ it: Refused) {
        #expect(throws: WebPushSubscriptionError.notJSON) { try WebPushSubscription(json: it.json) }
    }

    @Test(arguments: [
        Refused(why: "no endpoint", json: Array("{}".utf8)),
        Refused(why: "no TLS", json: json(endpoint: "http://example.com/")),
        Refused(why: "1,025 bytes", json: json(endpoint: "https://a.b/" + String(repeating: "a", count: 1_013))),
        Refused(why: "an address of IPv4", json: json(endpoint: "https://127.0.0.1/")),
        Refused(why: "an address of IPv6", json: json(endpoint: "https://[::1]/x")),
        Refused(why: "a user and a password", json: json(endpoint: "https://u:p@example.com/")),
    ])
    func aBadEndpointIsRefused(_ it: Refused) {
        #expect(throws: WebPushSubscriptionError.badEndpoint) { try WebPushSubscription(json: it.json) }
    }

    @Test(arguments: [
        Refused(why: "no keys", json: Array(#"{"endpoint":"https://a.b/","keys":7}"#.utf8)),
        Refused(why: "an empty key", json: json(key: "")),
        Refused(why: "padding", json: json(key: key + "=")),
        Refused(why: "as short as a secret", json: json(key: secret)),
        Refused(why: "the alphabet of plain Base64", json: json(key: key.replacing("-", with: "+"))),
    ])
    func aBadKeyIsRefused(_ it: Refused) {
        #expect(throws: WebPushSubscriptionError.badKey) { try WebPushSubscription(json: it.json) }
    }

    @Test(arguments: [
        Refused(why: "an empty secret", json: json(secret: "")),
        Refused(why: "as long as a key", json: json(secret: key)),
        Refused(why: "padding", json: json(secret: secret + "==")),
    ])
    func aBadSecretIsRefused(_ it: Refused) {
        #expect(throws: WebPushSubscriptionError.badSecret) { try WebPushSubscription(json: it.json) }
    }

    @Test func aKeyThatIsNoPointOfTheCurveIsRefused() throws {
        #expect(try !WebPushSubscription(json: Self.json(key: Self.offCurve)).hasPointOfCurve)
    }

    @Test func bytesThatAreNoSubscriptionAreRefused() throws {
        let token = try WebPushSubscription(json: Self.json()).bytes
        #expect(throws: WebPushSubscriptionError.badBytes) { try WebPushSubscription(bytes: []) }
        #expect(throws: WebPushSubscriptionError.badBytes) { try WebPushSubscription(bytes: Array(token.prefix(82))) }
        #expect(throws: WebPushSubscriptionError.badBytes) {
            try WebPushSubscription(bytes: token + [UInt8](repeating: 0x61, count: 2_048))
        }
        #expect(throws: WebPushSubscriptionError.badBytes) { try WebPushSubscription(bytes: [2] + token.dropFirst()) }
        #expect(throws: WebPushSubscriptionError.badBytes) { try WebPushSubscription(bytes: token + [0xFF]) }
        var bad = token
        bad[17] = 2
        #expect(throws: WebPushSubscriptionError.badKey) { try WebPushSubscription(bytes: bad) }
    }

    @Test(arguments: TestSeeds.of(1...3)) func noBytesTrap(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (json, token) = (Self.json(), try WebPushSubscription(json: Self.json()).bytes)
        for _ in 0..<300 {
            var (one, other) = (json, token)
            for _ in 0..<3 {
                one[Int.random(in: 0..<one.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
                other[Int.random(in: 0..<other.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = try? WebPushSubscription(json: one)
            _ = try? WebPushSubscription(bytes: Array(other.prefix(Int.random(in: 0...other.count, using: &random))))
        }
    }
}
