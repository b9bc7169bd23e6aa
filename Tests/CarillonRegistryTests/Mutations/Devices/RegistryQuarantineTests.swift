import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Devices in quarantine: listed, restored, and removed at last.
struct RegistryQuarantineTests {
    private let scratch = RegistryDirectory()

    /// Opens a registry with a device in a topic and another one, whose tokens have both died.
    private func registryWithDeadTokens() throws -> LMDBRegistry {
        let registry = try scratch.open { $0.settings?.retention.quarantineMilliseconds = 1_000 }
        _ = try registry.apply([
            .register(1, topics: ["level5"]), .register(2),
            .accept(.sample(to: [byToken(1), byToken(2)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered), (1, .badToken)], deadSince: 1_500),
        ])
        return registry
    }

    @Test func quarantinedDevicesAreListedPageByPage() throws {
        let registry = try registryWithDeadTokens()
        let pages = try ([0, 2] as [UInt64]).map { try registry.quarantine(of: game, cursor: $0, limit: 1) }
        #expect(pages == [DevicePage(next: 2, devices: [deviceID(1)]), DevicePage(next: 0, devices: [deviceID(2)])])
    }

    @Test func eachQuarantinedDeviceIsAnEventWithItsOutcome() throws {
        let registry = try registryWithDeadTokens()
        let events = try registry.events(after: 0, limit: 1_000, filter: EventFilter()).events
        let quarantined = events.filter { $0.kind == .deviceQuarantined }
        #expect(quarantined.map(\.device) == [deviceID(1), deviceID(2)])
        #expect(quarantined.map(\.outcome) == [.tokenUnregistered, .badToken])
    }

    @Test func aRestoredDeviceIsInItsTopicsAgain() throws {
        let registry = try registryWithDeadTokens()
        let restored = try [byToken(1), byToken(9)].map { device in
            try registry.apply(.restore(RestoreRequest(app: game, device: device), now: timestamp(2_500)))
        }
        #expect(restored == [.updated(deviceID(1)), .refused(.notFound)])
        #expect(
            try registry.devices(in: .topic("level5"), of: game, cursor: 0, limit: 9).devices == [deviceID(1)])
        #expect(try registry.verify() == [])
    }

    @Test func aDeviceThatIsNotRestoredIsRemovedAndLeavesATombstone() throws {
        let registry = try registryWithDeadTokens()
        #expect(try !registry.sweep(now: timestamp(3_001)))
        #expect(try registry.device(.id(deviceID(2)), of: game) == nil)
        #expect(try registry.apply(.register(2, seenAt: 2_000, now: 4_000)) == .refused(.stale))
        #expect(try registry.verify() == [])
    }
}
