import CarillonCore
import CarillonRegistryTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

/// During bulk ingest memberships are written after they are answered. One that cannot be read costs the changes of its
/// device, and no other change.
struct UnreadableItemsMembershipTests {
    private let scratch = RegistryDirectory()

    @Test(arguments: [false, true])
    func `an unreadable membership does not stop bulk ingest`(isCrashed: Bool) throws {
        let before = try scratch.open()
        for token in 1...9 as ClosedRange<UInt8> { try before.apply(.register(token, topics: ["old"])) }
        before.close()
        try scratch.corruptMembership(4)
        let reported = UnreadableReports()
        var registry = try scratch.open {
            $0.ingestInBulk()
            if !isCrashed { $0.onUnreadable = reported.record }
        }
        for token in 1...9 as ClosedRange<UInt8> {
            guard
                case .membership(let answer) = try registry.apply(
                    .subscribe(["new"], devices: [.address(address(token))]))
            else {
                Issue.record("refused")
                return
            }
            #expect(answer.changed == 1)
        }
        let crashed = try scratch.crashed()
        if isCrashed { registry = try crashed.open { $0.onUnreadable = reported.record } }
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
        #expect(
            try registry.devices(in: .topic("new"), of: game, cursor: 0, limit: 100).devices
                == [1, 2, 3, 5, 6, 7, 8, 9].map { deviceID($0) })
        #expect(
            reported.take() == ["1 changes that were answered could not be stored: memberships: an unknown version"])
        // The registry takes further changes.
        #expect(try registry.apply(.register(10)) == .registered(deviceID(10), .created, ended: nil))
        registry.close()
        withExtendedLifetime(crashed) {}
    }

    @Test func `an unreadable membership does not stop the end of bulk ingest`() throws {
        let before = try scratch.open()
        for token in 1...2 as ClosedRange<UInt8> { try before.apply(.register(token, topics: ["old"])) }
        before.close()
        try scratch.corruptMembership(1)
        let uptime = Mutex<Uptime>(0)
        let reported = UnreadableReports()
        var options = LMDBRegistry.Options()
        options.ingestInBulk()
        options.settings = nil
        options.onUnreadable = reported.record
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, uptime: { uptime.withLock { $0 } })
        for device in 1...2 as ClosedRange<UInt8> {
            try registry.apply(.subscribe(["new"], devices: [byToken(device)]))
        }
        uptime.withLock { $0 += options.bulkIngest.cacheLifetimeMilliseconds }
        #expect(try registry.apply(.register(3)) == .registered(deviceID(3), .created, ended: nil))
        #expect(
            reported.take() == ["1 changes that were answered could not be stored: memberships: an unknown version"])
        #expect(
            try registry.devices(in: .topic("new"), of: game, cursor: 0, limit: 9).devices == [deviceID(2)])
    }
}
