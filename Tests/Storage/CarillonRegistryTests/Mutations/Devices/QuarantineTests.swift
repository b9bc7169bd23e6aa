import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Devices in quarantine: listed, restored, registered again, and removed at last.
struct QuarantineTests {
    private let scratch = RegistryDirectory()

    /// Opens a registry with a device in a topic and another one, whose tokens have both died.
    private func registryWithDeadTokens() throws -> LMDBRegistry {
        let registry = try scratch.open { $0.settings?.retention.quarantineMilliseconds = 1_000 }
        try registry.apply([
            .register(1, topics: ["level5"]), .register(2),
            .accept(.sample(to: [byToken(1), byToken(2)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered), (1, .badToken)], deadSince: 1_500),
        ])
        return registry
    }

    @Test func `quarantined devices are listed page by page`() throws {
        let registry = try registryWithDeadTokens()
        let pages = try ([0, 2] as [UInt64]).map { try registry.quarantinedDevices(of: game, cursor: $0, limit: 1) }
        #expect(
            pages == [DeviceIDPage(next: 2, devices: [deviceID(1)]), DeviceIDPage(next: 0, devices: [deviceID(2)])])
    }

    @Test func `each quarantined device is an event with its outcome`() throws {
        let registry = try registryWithDeadTokens()
        let events = try registry.events(after: 0, limit: 1_000, filter: EventFilter()).events
        let quarantined = events.filter { $0.kind == .deviceQuarantined }
        #expect(quarantined.map(\.device) == [deviceID(1), deviceID(2)])
        #expect(quarantined.map(\.outcome) == [.tokenUnregistered, .badToken])
    }

    @Test func `a quarantined device is in nothing and returns to everything`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1, topics: ["level5"], groups: ["user/1"]), .subscribe(["en"], groups: ["user/1"]),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_000),
        ])
        #expect(try registry.explain(.all, app: game).devices == 0)
        #expect(try registry.topics(of: game, prefix: "", after: "", limit: 9).rows.map(\.devices) == [0, 0])
        #expect(try registry.groups(of: game, prefix: "", after: "", limit: 9).rows.map(\.name) == ["user/1"])
        try registry.apply([.subscribe(["zh"], devices: [byToken(1)]), .join("role/9", devices: [byToken(1)])])
        #expect(try registry.verify() == [])
        try registry.apply(.register(1, now: 2_000))
        let text = "'level5' in topics && 'en' in topics && 'zh' in topics && 'role/9' in groups"
        #expect(try registry.explain(Condition(text), app: game).devices == 1)
        #expect(try registry.verify() == [])
    }

    @Test func `a restored device is in its topics again`() throws {
        let registry = try registryWithDeadTokens()
        let restored = try [byToken(1), byToken(9)].map { device in
            try registry.apply(.restore(RestoreRequest(app: game, device: device), now: timestamp(2_500)))
        }
        #expect(restored == [.updated(deviceID(1)), .refused(.notFound)])
        #expect(
            try registry.devices(in: .topic("level5"), of: game, cursor: 0, limit: 9).devices == [deviceID(1)])
        #expect(try registry.verify() == [])
    }

    @Test func `a device that is not restored is removed and leaves a tombstone`() throws {
        let registry = try registryWithDeadTokens()
        #expect(try registry.sweep(now: timestamp(3_001)) == .complete)
        #expect(try registry.device(.id(deviceID(2)), of: game) == nil)
        #expect(try registry.apply(.register(2, seenAt: 2_000, now: 4_000)) == .refused(.stale))
        #expect(try registry.verify() == [])
    }

    // MARK: A registration of a device in quarantine

    /// Opens a registry with a device that registered at 1,000. Its token died at 1,500, which was reported at 2,000.
    private func registryWithDeadToken() throws -> LMDBRegistry {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_500, now: 2_000),
        ])
        return registry
    }

    /// The app has seen the token before its death, and at the time of the report.
    @Test(arguments: [1_000, 2_000] as [UInt64])
    func `a late registration is stored and does not end a quarantine`(seenAt: UInt64) throws {
        let registry = try registryWithDeadToken()
        let late = Change.register(
            1, seenAt: seenAt, locale: "de", topics: ["level5"], groups: ["user/1"], now: 3_000)
        #expect(try registry.apply(late) == .registered(deviceID(1), .refreshed, ended: nil, changesAudiences: true))
        let device = try registry.device(byToken(1), of: game)
        #expect(device?.state == .quarantined)
        #expect(device?.registeredAt == timestamp(1_000))
        #expect(device?.locale == "de")
        #expect(try registry.devices(in: .topic("level5"), of: game, cursor: 0, limit: 9).devices == [])
        #expect(try registry.verify() == [])
    }

    @Test func `a registration after the death ends a quarantine`() throws {
        let registry = try registryWithDeadToken()
        try registry.apply(.register(1, seenAt: 2_000, topics: ["level5"], now: 3_000))
        let alive = Change.register(1, seenAt: 2_001, now: 3_000)
        #expect(try registry.apply(alive) == .registered(deviceID(1), .refreshed, ended: nil))
        #expect(try registry.device(byToken(1), of: game)?.state == .active)
        #expect(try registry.devices(in: .topic("level5"), of: game, cursor: 0, limit: 9).devices == [deviceID(1)])
        #expect(try registry.verify() == [])
    }

    /// A registration is never late if the app has seen the token now, also if the clock has gone back since the token
    /// was declared dead.
    @Test(arguments: [1_900, 2_000] as [UInt64]) func `a token that is seen now ends a quarantine`(now: UInt64) throws {
        let registry = try registryWithDeadToken()
        #expect(try registry.apply(.register(1, now: now)) == .registered(deviceID(1), .refreshed, ended: nil))
        #expect(try registry.device(byToken(1), of: game)?.state == .active)
    }

    @Test func `a token that takes the place of a dead one is alive`() throws {
        let registry = try registryWithDeadToken()
        let new = Change.register(2, seenAt: 1_000, replaces: 1, now: 3_000)
        #expect(try registry.apply(new) == .registered(deviceID(1), .replaced, ended: nil))
        #expect(try registry.device(byToken(2), of: game)?.state == .active)
        #expect(try registry.verify() == [])
    }
}
