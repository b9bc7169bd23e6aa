import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The sizes by which a client divides a batch.
struct RegisterBatchRequestTests {
    private static let token = DeviceToken(Array(repeating: 7, count: DeviceToken.maximumBytes))!
    private static let small = Registration(
        app: TestApps.game, address: DeviceAddress(environment: .production, kind: .device, token: DeviceToken([7])!))

    /// Returns a registration that has every field, and names of the greatest length.
    private static func large() throws -> Registration {
        let name = String(repeating: "n", count: TopicName.maximumBytes - 2)
        return Registration(
            app: TestApps.game, address: DeviceAddress(environment: .production, kind: .web, token: token),
            seenAt: Timestamp(milliseconds: .max), replaces: token, locale: "zh-Hant-TW", timeZone: "Asia/Taipei",
            attributes: [
                try #require(AttributeChange(key: "tier", value: "gold")),
                try #require(AttributeChange(key: "old", value: "")),
            ],
            topics: (10..<74).map { TopicName("\($0)" + name)! }, groups: (10..<74).map { GroupName("\($0)" + name)! },
            subscription: try WebPushSubscription(
                endpoint: "https://push.example/" + String(repeating: "x", count: 900),
                publicKey: [4] + Array(repeating: 7, count: WebPushSubscription.publicKeyBytes - 1),
                secret: Array(repeating: 7, count: WebPushSubscription.secretBytes)))
    }

    @Test func `an item has no more bytes than a client expects and at most 80 fewer`() throws {
        for item in [Self.small, try Self.large()] {
            let one = payload(RegisterBatchRequest([item])).count
            let itemBytes = payload(RegisterBatchRequest([item, item])).count - one
            #expect((item.maximumItemBytes - 80...item.maximumItemBytes).contains(itemBytes))
            #expect(one - itemBytes <= RegisterBatchRequest.maximumBytesWithoutItems)
        }
    }
}
