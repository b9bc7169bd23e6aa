import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

/// A row that cannot be read stops the change that needs it, and no other change.
struct UnreadableMutationTests {
    private let scratch = RegistryDirectory()

    /// During bulk ingest memberships are written after they are answered. One that cannot be read costs the changes of
    /// its device.
    @Test(arguments: [false, true])
    func anUnreadableMembershipDoesNotStopBulkIngest(isCrashed: Bool) throws {
        let before = try scratch.open()
        for token in 1...9 as ClosedRange<UInt8> { _ = try before.apply(.register(token, topics: ["old"])) }
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

    /// The end of bulk ingest writes rows that were answered. One that cannot be written costs its change, and nothing
    /// else.
    @Test func anUnreadableMembershipDoesNotStopTheEndOfBulkIngest() throws {
        let before = try scratch.open()
        for token in 1...2 as ClosedRange<UInt8> { _ = try before.apply(.register(token, topics: ["old"])) }
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
            _ = try registry.apply(.subscribe(["new"], devices: [byToken(device)]))
        }
        uptime.withLock { $0 += options.bulkIngest.cacheLifetimeMilliseconds }
        #expect(try registry.apply(.register(3)) == .registered(deviceID(3), .created, ended: nil))
        #expect(
            reported.take() == ["1 changes that were answered could not be stored: memberships: an unknown version"])
        #expect(
            try registry.devices(in: .topic("new"), of: game, cursor: 0, limit: 9).devices == [deviceID(2)])
    }

    @Test func anUnreadableMessageDoesNotStopTheSchedule() throws {
        try scratch.acceptMessages(3, sendAt: 5_000)
        try scratch.corruptMessage(1)
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == [messageID(2), messageID(3)])
        #expect(reported.take() == ["scheduled message 1: messages: an unknown version"])
        #expect(try registry.apply(.releaseScheduled(now: timestamp(6_000))) == .released([], next: nil))
        #expect(reported.take() == [])
        registry.close()
        // The unreadable message stays in the schedule, for a repair.
        let again = try scratch.open { $0.onUnreadable = reported.record }
        #expect(try again.nextScheduled() == timestamp(5_000))
        #expect(try again.apply(.releaseScheduled(now: timestamp(7_000))) == .released([], next: nil))
        #expect(reported.take().count == 1)
    }

    @Test func aMessageWhoseAudienceIsUnreadableDoesNotStopTheSchedule() throws {
        let first = try scratch.open()
        _ = try first.apply([.register(1, topics: ["en", "zh"])])
        for condition in ["'en' in topics && 'zh' in topics", "all"] {
            var message = Message.sample(toAll: .condition(try Condition(condition)))
            message.sendAt = timestamp(5_000)
            _ = try first.apply(.accept(message, now: timestamp(1_000)))
        }
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                let label = ByteWriter.bytes(capacity: 16) { writer in
                    writer.append(AppNumber(1))
                    SetLabel.topic("en").append(to: &writer)
                }
                try transaction.put(([9] as [UInt8]).span, for: label.span, in: tables.sets.database)
            }
        }
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == [messageID(2)])
        #expect(reported.take().count == 1)
    }
}
