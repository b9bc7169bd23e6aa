import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Devices that move to the other environment, because APNs has accepted their tokens there.
struct DeviceMoveTests {
    private let scratch = RegistryDirectory()

    /// The report that the push of message 1 to the device that had registered at 1,000 was accepted in the sandbox.
    private static let deliveredInTheSandbox: Change = {
        let entry = OutcomeRecord.RecipientEnd(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        let record = OutcomeRecord(message: MessageID(rawValue: 1), page: 0, entries: [entry])
        return .recordOutcomes(record, now: timestamp(2_000))
    }()

    @Test func aDeviceThatHasRegisteredSinceIsNotMoved() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        _ = try registry.apply(.register(1, now: 1_500))
        _ = try registry.apply(Self.deliveredInTheSandbox)
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
    }

    private func subscribed(_ device: DeviceReference, in registry: LMDBRegistry) throws -> MembershipChangeResult {
        guard case .membership(let answer) = try registry.apply(.subscribe(["level5"], devices: [device])) else {
            Issue.record("refused")
            return MembershipChangeResult()
        }
        return answer
    }

    /// Bulk ingest has the token index cache.
    @Test func aDeviceThatHasMovedHasItsOldAddressNoLonger() throws {
        let registry = try scratch.open { $0.ingestInBulk() }
        _ = try registry.apply(.register(1))
        #expect(try subscribed(byToken(1), in: registry).device == deviceID(1))
        _ = try registry.apply(.accept(.sample(to: [byToken(1)]), now: timestamp(1_000)))
        _ = try registry.apply(Self.deliveredInTheSandbox)
        var moved = address(1)
        moved.environment = .sandbox
        #expect(try subscribed(byToken(1), in: registry).unknown == [0])
        #expect(try subscribed(.address(moved), in: registry).device == deviceID(1))
        #expect(try registry.verify() == [])
    }

    /// The move is the first change that needs a set of the app, and the set is a new one.
    @Test func aDeviceMovesAfterARestart() throws {
        var registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.apply(Self.deliveredInTheSandbox) == .recorded(isFinished: true))
        #expect(try registry.device(.id(deviceID(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.verify() == [])
    }
}
