import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The counts of devices, groups, topics and messages, as statistics and the console show them.
struct RegistryStatisticsTests {
    private let scratch = RegistryDirectory()

    @Test func `each app has its devices, groups and topics`() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        #expect(try registry.registryCounts().isEmpty)
        let chat = try #require(AppID("com.example.chat"))
        for number in 1...3 as ClosedRange<UInt8> {
            var registration = Registration(app: game, address: address(number))
            registration.topics = ["level\(number)"]
            registration.groups = ["user/1"]
            registration.attributes = [try #require(AttributeChange(key: "platform", value: "ios"))]
            try registry.apply(.register(registration, now: Timestamp(milliseconds: 5)))
        }
        try registry.apply(.register(Registration(app: chat, address: address(1)), now: .zero))
        #expect(
            try registry.registryCounts() == [
                .init(
                    app: chat, devices: 1, quarantined: 0, groups: 0, topics: 0,
                    devicesByProvider: [.apns: 1, .fcm: 0, .web: 0]),
                .init(
                    app: game, devices: 3, quarantined: 0, groups: 1, topics: 3,
                    devicesByProvider: [.apns: 3, .fcm: 0, .web: 0]),
            ])
    }

    /// The kind of the token says who delivers to a device, not the attribute `platform`, which callers can set.
    @Test func `active devices are counted by the provider of their tokens`() throws {
        var registry = try scratch.open()
        defer { registry.close() }
        func counts() throws -> [[Provider: UInt64]?] {
            try [
                registry.registryCounts().first?.devicesByProvider,
                registry.registryStatistics(largest: 0).apps.first?.devicesByProvider,
            ]
        }
        func both(apns: UInt64, fcm: UInt64, web: UInt64) -> [[Provider: UInt64]?] {
            Array(repeating: [.apns: apns, .fcm: fcm, .web: web], count: 2)
        }
        let kinds: [TokenKind] = [.device, .voip, .liveactivity, .fcm, .fid, .fcm, .web, .web]
        for (index, kind) in kinds.enumerated() {
            var registration = Registration(app: game, address: try addressOfAnyProvider(kind: kind, number: index))
            registration.attributes = index < 4 ? [AttributeChange](["platform": "web"]) : []
            try registry.apply(.register(registration, now: timestamp(1_000)))
        }
        #expect(try counts() == both(apns: 3, fcm: 3, web: 2))
        let dead: [DeviceReference] = [.id(deviceID(1)), .id(deviceID(4))]
        try registry.apply(.accept(.sample(to: dead), now: timestamp(1_000)))
        let outcomes: [(UInt16, Outcome)] = [(0, .tokenUnregistered), (1, .tokenUnregistered)]
        try registry.apply(.recordOutcomes(of: 1, outcomes, deadSince: 1_500))
        #expect(try counts() == both(apns: 2, fcm: 2, web: 2))
        #expect(try registry.registryCounts().map(\.quarantined) == [2])
        try registry.apply(.restore(RestoreRequest(app: game, device: dead[1]), now: timestamp(3_000)))
        try registry.apply(.unregister(id: 7, at: 3_000, now: 3_000))
        #expect(try counts() == both(apns: 2, fcm: 3, web: 1))
        registry.close()
        registry = try scratch.open()
        #expect(try counts() == both(apns: 2, fcm: 3, web: 1))
    }

    /// More names than one read goes through: none is left out or counted twice where one read ends.
    @Test func `many names are counted in many reads`() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        try registry.apply(.register(Registration(app: game, address: address(1)), now: .zero))
        let names = (1...20_001).map { GroupName("user/\($0)") }
        for group in names {
            registry.submit(.updateGroup(UpdateGroupRequest(app: game, group: group, isMuted: true)), deadline: nil) {
                _ in
            }
        }
        try registry.apply(.updateGroup(UpdateGroupRequest(app: game, group: names[0], isMuted: true)))
        #expect(
            try registry.registryCounts() == [
                .init(
                    app: game, devices: 1, quarantined: 0, groups: 20_001, topics: 0,
                    devicesByProvider: [.apns: 1, .fcm: 0, .web: 0])
            ])
    }

    @Test func `outbox statistics count unfinished and scheduled messages`() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        try registry.apply(.register(Registration(app: game, address: address(1)), now: now))
        for delay in [nil, 60_000] as [UInt64?] {
            var message = Message(
                content: MessageContent(app: game, pushType: .alert, payload: Array("{}".utf8)), audience: .all)
            message.sendAt = delay.map { now.later(byMilliseconds: $0) }
            try registry.apply(.accept(message, now: now))
        }
        let outboxStatistics = try registry.outboxStatistics()
        #expect([outboxStatistics.messages, outboxStatistics.toSend, outboxStatistics.scheduled] == [2, 1, 1])
        #expect(outboxStatistics.freeBytes > 0)
        #expect(try outboxStatistics.freeBytes < registry.statistics().bytes)
    }

    /// Makes an address with a token that any kind of its provider takes.
    private func addressOfAnyProvider(kind: TokenKind, number: Int) throws -> DeviceAddress {
        let bytes = kind == .web ? TokenKind.endpointDigestBytes : TokenKind.installationBytes
        let letter = UInt8(ascii: "a") + UInt8(number)
        let token = try #require(DeviceToken([UInt8(ascii: "c")] + Array(repeating: letter, count: bytes - 1)))
        return DeviceAddress(environment: .production, kind: kind, token: token)
    }
}
