import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Devices in quarantine, and devices that move to another address.
struct RegistryQuarantineTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    private func events(_ registry: LMDBRegistry, after: UInt64 = 0) throws -> [Event] {
        try registry.events(after: after, limit: 1_000, filter: EventFilter()).events
    }

    @Test func aQuarantinedDeviceIsListedRestoredAndDroppedAtLast() throws {
        let registry = try scratch.open { $0.settings?.retention.quarantineMilliseconds = 1_000 }
        _ = try registry.apply([register(1, topics: ["level5"]), register(2)])
        _ = try registry.apply(.accept(testMessage(to: [byToken(1), byToken(2)]), now: timestamp(1_000)))
        _ = try registry.apply(recordOutcomes(1, [(0, .tokenUnregistered), (1, .badToken)], deadSince: 1_500))
        let pages = try ([0, 2] as [UInt64]).map { try registry.quarantine(of: game, cursor: $0, limit: 1) }
        #expect(pages == [DevicePage(next: 2, devices: [deviceID(1)]), DevicePage(next: 0, devices: [deviceID(2)])])
        let reported = try events(registry).filter { $0.kind == .deviceQuarantined }
        let told = (reported.map(\.device), reported.map(\.outcome))
        #expect(told == ([deviceID(1), deviceID(2)], [.tokenUnregistered, .badToken]))
        let restored = try [byToken(1), byToken(9)].map { device in
            try registry.apply(.restore(RestoreRequest(app: game, device: device), now: timestamp(2_500)))
        }
        #expect(restored == [.updated(deviceID(1)), .refused(.notFound)])
        let members = try registry.devices(in: .topic(topic("level5")), of: game, cursor: 0, limit: 9).devices
        #expect(members == [deviceID(1)])
        #expect(try registry.verify() == [])
        #expect(
            try (registry.sweep(now: timestamp(3_001)), registry.device(.id(deviceID(2)), of: game)?.id) == (false, nil)
        )
        #expect(try registry.apply(register(2, seenAt: 2_000, now: 4_000)) == .refused(.stale))
        #expect(try registry.verify() == [])
    }

    @Test func aDeviceThatHasRegisteredSinceIsNotMoved() throws {
        let registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(testMessage(to: [byToken(1)]), now: timestamp(1_000))])
        _ = try registry.apply(register(1, now: 1_500))
        let entry = OutcomeRecord.RecipientEnd(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        _ = try registry.apply(
            .recordOutcomes(OutcomeRecord(message: first, page: 0, entries: [entry]), now: timestamp(2_000)))
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
    }

    private func subscribed(_ device: DeviceReference, in registry: LMDBRegistry) throws -> MembershipChangeResult {
        guard case .membership(let answer) = try registry.apply(subscribe(["level5"], devices: [device])) else {
            Issue.record("refused")
            return MembershipChangeResult()
        }
        return answer
    }

    /// Bulk ingest has the token index cache.
    @Test func aDeviceThatHasMovedHasItsOldAddressNoLonger() throws {
        let registry = try scratch.open { $0.ingestInBulk() }
        _ = try registry.apply(register(1))
        #expect(try subscribed(byToken(1), in: registry).device == deviceID(1))
        _ = try registry.apply(.accept(testMessage(to: [byToken(1)]), now: timestamp(1_000)))
        let entry = OutcomeRecord.RecipientEnd(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        _ = try registry.apply(
            .recordOutcomes(OutcomeRecord(message: first, page: 0, entries: [entry]), now: timestamp(2_000)))
        var moved = address(1)
        moved.environment = .sandbox
        #expect(try subscribed(byToken(1), in: registry).unknown == [0])
        #expect(try subscribed(.address(moved), in: registry).device == deviceID(1))
        #expect(try registry.verify() == [])
    }

    /// The move is the first change that needs a set of the app, and the set is a new one.
    @Test func aDeviceMovesAfterARestart() throws {
        var registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(testMessage(to: [byToken(1)]), now: timestamp(1_000))])
        registry.close()
        registry = try scratch.open()
        let entry = OutcomeRecord.RecipientEnd(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        let record = OutcomeRecord(message: first, page: 0, entries: [entry])
        #expect(try registry.apply(.recordOutcomes(record, now: timestamp(2_000))) == .recorded(isFinished: true))
        #expect(try registry.device(.id(deviceID(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.verify() == [])
    }
}
