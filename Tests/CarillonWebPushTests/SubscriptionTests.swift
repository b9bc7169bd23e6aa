import CarillonCore
import CarillonTestKit
import CarillonWebPush
import Testing

/// What browsers call a subscription.
@Suite struct SubscriptionTests {
    private static let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let endpoint = "https://wns2-par02p.notify.windows.com/w/?token=BQY%2bA%2fz"

    private static func json(
        endpoint: String = endpoint, key: String = key, secret: String = secret, more: String = ""
    ) -> [UInt8] {
        Array(#"{"endpoint":"\#(endpoint)",\#(more)"keys":{"p256dh":"\#(key)","auth":"\#(secret)"}}"#.utf8)
    }

    @Test func aSubscriptionOfABrowserIsReadAndItsTokenIsReadBack() throws {
        let subscription = try WebPushSubscription(json: Self.json(more: #""expirationTime":null,"#))
        #expect(subscription.endpoint == Self.endpoint)
        #expect(subscription.address.target == "/w/?token=BQY%2bA%2fz", "an endpoint is never written in another way")
        #expect(subscription.publicKey.count == 65)
        #expect(subscription.secret.count == 16)
        #expect(try WebPushSubscription(token: subscription.token) == subscription)
        #expect(subscription.token.count == 82 + Self.endpoint.utf8.count)
    }

    @Test func nothingOfASubscriptionIsShownButItsHost() throws {
        let subscription = try WebPushSubscription(json: Self.json())
        #expect("\(subscription)" == "wns2-par02p.notify.windows.com")
        #expect(String(reflecting: subscription) == "wns2-par02p.notify.windows.com")
    }

    private static let offCurve = String(key.dropLast()) + "A"

    @Test(
        arguments: [
            ([], .notJSON), (Array("[]".utf8), .notJSON), ([UInt8](repeating: 0x20, count: 5_000), .notJSON),
            (Array("{}".utf8), .badEndpoint), (json(endpoint: "http://example.com/"), .badEndpoint),
            (json(endpoint: "https://127.0.0.1/"), .badEndpoint), (json(endpoint: "https://[::1]/x"), .badEndpoint),
            (json(endpoint: "https://u:p@example.com/"), .badEndpoint), (json(key: ""), .badKey),
            (json(key: key + "="), .badKey), (json(key: offCurve), .badKey), (json(key: secret), .badKey),
            (json(key: key.replacing("-", with: "+")), .badKey), (json(secret: ""), .badSecret),
            (json(secret: key), .badSecret), (json(secret: secret + "=="), .badSecret),
            (Array(#"{"endpoint":"https://a.b/","keys":7}"#.utf8), .badKey),
        ] as [([UInt8], WebPushSubscriptionFault)])
    func anythingElseIsRefused(_ json: [UInt8], _ fault: WebPushSubscriptionFault) {
        #expect(throws: fault) { try WebPushSubscription(json: json) }
    }

    @Test func bytesThatAreNoTokenAreRefused() throws {
        let token = try WebPushSubscription(json: Self.json()).token
        #expect(throws: WebPushSubscriptionFault.badToken) { try WebPushSubscription(token: []) }
        #expect(throws: WebPushSubscriptionFault.badToken) { try WebPushSubscription(token: Array(token.prefix(82))) }
        #expect(throws: WebPushSubscriptionFault.badToken) {
            try WebPushSubscription(token: token + [UInt8](repeating: 0x61, count: 2_048))
        }
        #expect(throws: WebPushSubscriptionFault.badToken) { try WebPushSubscription(token: [2] + token.dropFirst()) }
        #expect(throws: WebPushSubscriptionFault.badToken) { try WebPushSubscription(token: token + [0xFF]) }
        var bad = token
        bad[20] ^= 1
        #expect(throws: WebPushSubscriptionFault.badKey) { try WebPushSubscription(token: bad) }
    }

    @Test(arguments: TestSeeds.of(1...3)) func noBytesTrap(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (json, token) = (Self.json(), try WebPushSubscription(json: Self.json()).token)
        for _ in 0..<300 {
            var (one, other) = (json, token)
            for _ in 0..<3 {
                one[Int.random(in: 0..<one.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
                other[Int.random(in: 0..<other.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = try? WebPushSubscription(json: one)
            _ = try? WebPushSubscription(token: Array(other.prefix(Int.random(in: 0...other.count, using: &random))))
        }
    }
}
