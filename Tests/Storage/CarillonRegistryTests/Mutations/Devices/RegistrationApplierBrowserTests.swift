import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Foundation
import Testing

/// The push subscriptions of browsers (Protocol 7.1): stored with the device, read with its pages, gone with it.
struct RegistrationApplierBrowserTests {
    private let scratch = RegistryDirectory()

    private static func subscription(_ number: UInt8, secret: UInt8 = 7) throws -> WebPushSubscription {
        try WebPushSubscription(
            endpoint: "https://push.example.com/\(number)", publicKey: [4] + Array(repeating: number, count: 64),
            secret: Array(repeating: secret, count: 16))
    }

    private static func webAddress(_ number: UInt8) throws -> DeviceAddress {
        let token = try #require(DeviceToken(Array(repeating: number, count: TokenKind.endpointDigestBytes)))
        return DeviceAddress(environment: .production, kind: .web, token: token)
    }

    private static func browser(
        _ number: UInt8, replaces: UInt8? = nil, secret: UInt8 = 7, hasSubscription: Bool = true
    ) throws -> Change {
        .register(
            Registration(
                app: game, address: try webAddress(number), replaces: try replaces.map { try webAddress($0).token },
                subscription: hasSubscription ? try subscription(number, secret: secret) : nil), now: timestamp(1_000))
    }

    private func subscriptions(_ registry: LMDBRegistry) throws -> [WebPushSubscription?] {
        try registry.archivedDevices(of: game, after: nil, limit: 100).map(\.subscription)
    }

    @Test func `a subscription is stored, replaced and removed with its device`() throws {
        let registry = try scratch.open()
        try registry.apply([try Self.browser(1), try Self.browser(2), .register(3)])
        #expect(try subscriptions(registry) == [try Self.subscription(1), try Self.subscription(2), nil])
        // A refresh without a subscription leaves it, one with another replaces it.
        try registry.apply([try Self.browser(1, hasSubscription: false), try Self.browser(2, secret: 9)])
        #expect(try subscriptions(registry) == [try Self.subscription(1), try Self.subscription(2, secret: 9), nil])
        // A new token without a subscription ends the old one.
        try registry.apply([
            try Self.browser(11, replaces: 1), try Self.browser(12, replaces: 2, hasSubscription: false),
        ])
        #expect(try subscriptions(registry) == [try Self.subscription(11), nil, nil])
        try registry.apply(
            .unregister(
                UnregisterRequest(app: game, device: .address(try Self.webAddress(11)), at: timestamp(2_000)),
                now: timestamp(2_000))
        )
        #expect(try subscriptions(registry) == [nil, nil])
        #expect(try registry.verify() == [])
        registry.close()
    }

    @Test func `subscriptions are there after a restart`() throws {
        var registry = try scratch.open()
        try registry.apply([try Self.browser(1)])
        registry.close()
        registry = try scratch.open()
        #expect(try subscriptions(registry) == [try Self.subscription(1)])
        registry.close()
    }

    @Test func `a page has the subscriptions of its browsers`() throws {
        let registry = try scratch.open()
        try registry.apply([
            try Self.browser(1), .register(2), try Self.browser(3, hasSubscription: false),
            .accept(.sample(to: .all), now: timestamp(2_000)),
        ])
        let page = try #require(try registry.nextPage(of: messageID(1), from: 0))
        let found = page.recipients.indices.map { page.withSubscription(at: $0) { Array($0) } }
        #expect(found == [try Self.subscription(1).bytes, [], []])
        #expect(page.withToken(at: 0) { Array($0) } == Array(repeating: 1, count: 32))
        let kept = page.keeping([0, 2])
        #expect(kept.withSubscription(at: 0) { Array($0) } == (try Self.subscription(1).bytes))
        #expect(kept.withSubscription(at: 1) { $0.count } == 0)
        registry.close()
    }

    @Test func `an archive has the subscriptions`() throws {
        let (here, there) = (RegistryDirectory(), RegistryDirectory())
        let registry = try here.open()
        try registry.apply([try Self.browser(1), .register(2)])
        let rows = try registry.archivedDevices(of: game, after: nil, limit: 10)
        let next = try #require(try registry.nextDevice(of: game))
        registry.close()
        try FileManager.default.createDirectory(atPath: there.path, withIntermediateDirectories: true)
        do {
            let builder = try RegistryBuilder(path: there.path)
            #expect(try builder.add(game, next: next))
            try builder.add(rows, to: game)
        }
        let copy = try there.open()
        #expect(try copy.archivedDevices(of: game, after: nil, limit: 10) == rows)
        #expect(try copy.verify() == [])
        copy.close()
    }
}
