import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

/// One record that cannot be read stops what needs it, and nothing else.
struct UnreadableTests {
    private let scratch = RegistryDirectory()
    private let queue = OutboxQueue(lane: .interactive, app: game)

    /// Makes a closed registry with a device and messages of the numbers 1 to `count`.
    private func messages(_ count: Int, sendAt: UInt64? = nil) throws {
        let registry = try scratch.open()
        _ = try registry.apply(.register(1))
        for _ in 0..<count {
            var message = Message.sample(toAll: .all)
            message.sendAt = sendAt.map { timestamp($0) }
            _ = try registry.apply(.accept(message, now: timestamp(1_000)))
        }
        registry.close()
    }

    /// Opens the registry; `reported` gets what it tells to be unreadable.
    private func open(_ reported: UnreadableReports) throws -> LMDBRegistry {
        try scratch.open { $0.onUnreadable = reported.record }
    }

    private func ids(_ numbers: UInt64...) -> [MessageID] { numbers.map { MessageID(rawValue: $0) } }

    @Test func anUnreadableMessageDoesNotStopItsQueue() throws {
        try messages(4)
        try scratch.corruptMessage(2)
        try scratch.corruptMessage(4)
        let registry = try scratch.open()
        let first = try registry.unfinishedMessages(in: queue, after: nil, limit: 2)
        #expect(first.entries.map(\.id) == ids(1))
        #expect(first.unreadable == [UnreadableMessage(id: ids(2)[0], reason: "messages: an unknown version")])
        #expect(first.last == ids(2)[0])
        #expect(!first.isEnd)
        let second = try registry.unfinishedMessages(in: queue, after: first.last, limit: 3)
        #expect(second.entries.map(\.id) == ids(3))
        #expect(second.unreadable.map(\.id) == ids(4))
        #expect(second.last == ids(4)[0])
        #expect(second.isEnd)
    }

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
        // It goes on.
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

    @Test func anUnreadableAppDoesNotStopTheOthers() throws {
        try messages(1)
        let other = AppID("com.example.other")!
        let first = try scratch.open()
        var message = Message.sample(toAll: .all)
        message.content.app = other
        _ = try first.apply([
            .register(Registration(app: other, address: address(1)), now: timestamp(1_000)),
            .accept(message, now: timestamp(1_000)),
        ])
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                try transaction.put(([99] as [UInt8]).span, for: Array(game.name.utf8).span, in: tables.apps.database)
            }
        }
        let reported = UnreadableReports()
        #expect(try open(reported).outboxQueues() == [OutboxQueue(lane: .interactive, app: other)])
        #expect(
            reported.take() == [
                "a row of apps: apps: an unknown version", "outbox: messages of app number 1, which is unknown",
            ])
    }

    @Test func anUnreadableMessageDoesNotStopTheSchedule() throws {
        try messages(3, sendAt: 5_000)
        try scratch.corruptMessage(1)
        let reported = UnreadableReports()
        let registry = try open(reported)
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == ids(2, 3))
        #expect(reported.take() == ["scheduled message 1: messages: an unknown version"])
        #expect(try registry.apply(.releaseScheduled(now: timestamp(6_000))) == .released([], next: nil))
        #expect(reported.take() == [])
        registry.close()
        // It waits for a repair.
        let again = try open(reported)
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
        let registry = try open(reported)
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == ids(2))
        #expect(reported.take().count == 1)
    }

    // MARK: Retention

    /// A row that is corrupt, and the rows of retention that stay with it.
    struct Corrupted: CustomTestStringConvertible, Sendable {
        let table: String
        /// The key of the row; empty for the one of the unregistered address, which is another in each database.
        let key: [UInt8]
        let stays: Int
        let reported: String

        var testDescription: String { "\(table) \(key)" }

        static let all = [
            Corrupted(
                table: "progress", key: [0, 0, 0, 0, 0, 0, 0, 1], stays: 1,
                reported: "retention of message 1: progress: "),
            Corrupted(
                table: "devices", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2], stays: 1,
                reported: "retention of device 2 of app number 1: devices: "),
            Corrupted(
                table: "memberships", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2], stays: 1,
                reported: "retention of device 2 of app number 1: memberships: "),
            Corrupted(table: "addresses", key: [], stays: 1, reported: "retention of a tombstone: addresses: "),
            Corrupted(table: "tombstones", key: [0, 0, 0, 1, 1, 1, 3, 3, 3], stays: 0, reported: ""),
            Corrupted(
                table: "expiry", key: [1, 0, 0, 0, 0, 0, 0, 0, 0, 9], stays: 1, reported: "a row of expiry: expiry: "),
            Corrupted(table: "events", key: [0, 0, 0, 0, 0, 0, 0, 1], stays: 0, reported: ""),
            Corrupted(
                table: "subscribers", key: [4] + Array("shopmail".utf8), stays: 0, reported: "a row of subscribers: "),
            Corrupted(
                table: "silent", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], stays: 0,
                reported: "a row of silent: silent: "),
        ]
    }

    @Test(arguments: Corrupted.all)
    func anUnreadableRowDoesNotStopRetention(_ corrupt: Corrupted) throws {
        let first = try scratch.open()
        var silent = Message.sample(to: [byToken(1)])
        silent.content.pushType = .background
        _ = try first.apply([
            .register(1), .register(2, groups: ["user/1"]), .unregister(3),
            .accept(.sample(to: [byToken(2)], key: 5), now: timestamp(1_000)),
            .accept(silent, now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 5_000),
            .recordOutcomes(of: 2, [(0, .delivered)]),
            .acknowledge(EventSubscriber(principal: "shop", name: "mail"), upTo: 1, now: timestamp(1_000)),
        ])
        first.close()
        try scratch.edit { environment, tables in
            let table = try #require(tables.databases.first { $0.name == corrupt.table })
            let key = corrupt.key.isEmpty ? Self.key(of: tables.digest(of: address(3), app: 1), app: 1) : corrupt.key
            try environment.write { transaction in
                try transaction.put(([99] as [UInt8]).span, for: key.span, in: table.database)
            }
        }
        let reported = UnreadableReports()
        let registry = try open(reported)
        var sweeps = 0
        let end: UInt64 = 10_000_000_000_000
        while sweeps < 10, try registry.sweep(now: timestamp(end)) { sweeps += 1 }
        // What stands in for a quarantined device afterwards.
        while sweeps < 10, try registry.sweep(now: timestamp(2 * end)) { sweeps += 1 }
        #expect(sweeps < 10, "without an end")
        let texts = reported.take()
        #expect(texts.count == (corrupt.reported.isEmpty ? 0 : 1))
        #expect(texts.first?.hasPrefix(corrupt.reported) ?? corrupt.reported.isEmpty, "\(texts)")
        registry.close()
        try scratch.edit { environment, tables in
            let rows = try environment.read { (transaction) throws in
                try [tables.expiry.database, tables.events.database].map { try transaction.count(in: $0) }
            }
            #expect(rows == [corrupt.stays, 0])
        }
    }

    /// Returns the key of a row of `addresses`.
    private static func key(of address: AddressDigest, app: AppNumber) -> [UInt8] {
        ByteWriter.bytes(capacity: 16) {
            $0.append(app)
            $0.append(address.head)
            $0.append(address.tail)
        }
    }
}
