import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Glibc
import Testing

@testable import CarillonRegistry

/// The rows that sweeps remove, in bounded steps. A row that cannot be read does not stop them.
struct RetentionSweepTests {
    private let scratch = RegistryDirectory()

    /// Sweeps at a time until nothing is left to remove, and verifies the registry after each sweep. Returns the number
    /// of sweeps.
    @discardableResult
    private func sweepAll(_ registry: LMDBRegistry, at now: UInt64) throws -> Int {
        var sweeps = 1
        while try registry.sweep(now: timestamp(now)) == .incomplete {
            sweeps += 1
            #expect(try registry.verify() == [])
        }
        #expect(try registry.verify() == [])
        return sweeps
    }

    @Test func `a finished message is removed and an unfinished one stays`() throws {
        let registry = try scratch.open { $0.settings?.retention.messageMilliseconds = 100 }
        try registry.apply([.register(1), .unregister(1, now: 1_000), .register(3)])
        try registry.accept(.sample(to: [byToken(1)]))
        try registry.accept(.sample(to: [byToken(3)]))
        func states() throws -> [MessageState?] {
            try [messageID(1), messageID(2)].map { try registry.status(of: $0, app: game)?.state }
        }
        try sweepAll(registry, at: 1_100)
        #expect(try states() == [.finished, .waiting])
        try sweepAll(registry, at: 1_101)
        #expect(try states() == [nil, .waiting])
    }

    @Test func `a tombstone refuses until it is removed`() throws {
        let registry = try scratch.open { $0.settings?.retention.tombstoneMilliseconds = 200 }
        try registry.apply([.register(1), .unregister(1, now: 1_000)])
        try sweepAll(registry, at: 1_200)
        #expect(try registry.apply(.register(1, seenAt: 1_000, now: 1_200)) == .refused(.stale))
        try sweepAll(registry, at: 1_201)
        #expect(try registry.apply(.register(1, seenAt: 500, now: 1_201)) == .created(2))
    }

    @Test func `an idempotency key that is as old as its retention stays`() throws {
        let registry = try scratch.open { $0.settings?.retention.idempotencyMilliseconds = 50 }
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)], key: 1), now: timestamp(1_000))])
        try sweepAll(registry, at: 1_050)
        #expect(
            try registry.apply(.accept(.sample(to: [], key: 1), now: timestamp(1_050)))
                == .refused(.idempotencyConflict))
    }

    @Test func `events are removed after seven days and their numbers go on`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)),
            .appendEvent(Event(at: timestamp(2_000), kind: .connectionUp)),
        ])
        func numbers() throws -> [UInt64] {
            try registry.events(after: 0, limit: 9, filter: EventFilter()).events.map(\.sequence)
        }
        try sweepAll(registry, at: 1_001 + 7 * 86_400_000)
        #expect(try numbers() == [2])
        try sweepAll(registry, at: 2_001 + 7 * 86_400_000)
        try registry.apply(.appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)))
        #expect(try numbers() == [3])
    }

    @Test func `a subscriber is removed after thirty days without an acknowledgement`() throws {
        let registry = try scratch.open()
        let subscriber = EventSubscriber(principal: "shop", name: "mail")
        try registry.apply([
            .appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)),
            .acknowledge(subscriber, upTo: 1, now: timestamp(1_000)),
        ])
        try sweepAll(registry, at: 1_000 + 30 * 86_400_000)
        #expect(try registry.acknowledgedSequence(by: subscriber) == 1)
        try sweepAll(registry, at: 1_001 + 30 * 86_400_000)
        #expect(try registry.acknowledgedSequence(by: subscriber) == nil)
    }

    // MARK: Bounded steps

    @Test func `a sweep of many items is bounded`() throws {
        let registry = try scratch.open {
            $0.settings?.retention.tombstoneMilliseconds = 200
            $0.settings?.maximumSweptRows = 4
        }
        try registry.apply((1...4).map { Change.unregister($0, now: 1_000) })
        // Each tombstone has three rows.
        #expect(try sweepAll(registry, at: 1_201) == 3)
        #expect(try registry.archivedTombstones(of: game, after: nil, limit: 10) == [])
    }

    @Test func `a sweep of a message of many pages is bounded`() throws {
        let registry = try scratch.open {
            $0.settings?.retention.messageMilliseconds = 100
            $0.settings?.maximumSweptRows = 3
        }
        try registry.registerDevices(1..<20_001)
        try registry.accept(.sample(to: .all))
        try registry.endAllPages(of: messageID(1))
        #expect(
            try registry.apply(.finish(messageID(1), now: timestamp(3_000))) == .messageChecked(isFinished: true))
        #expect(try registry.sweep(now: timestamp(5_000)) == .incomplete)
        #expect(try registry.status(of: messageID(1), app: game) == nil)
        #expect(try sweepAll(registry, at: 5_000) > 1)
    }

    // MARK: Unreadable rows

    /// A row that is corrupt, and what retention does with it.
    struct Corrupted: CustomTestStringConvertible, Sendable {
        let table: String
        /// The key of the row; empty for the one of the unregistered address, which is another in each database.
        let key: [UInt8]
        /// The number of rows of `expiry` that stay, because what they name cannot be removed.
        let expiryRowsLeft: Int
        /// The beginning of the report; empty if nothing is reported.
        let reported: String

        var testDescription: String { "\(table) \(key)" }

        static let all = [
            Corrupted(
                table: "progress", key: [0, 0, 0, 0, 0, 0, 0, 1], expiryRowsLeft: 1,
                reported: "retention of message 1: progress: "),
            Corrupted(
                table: "devices", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2], expiryRowsLeft: 1,
                reported: "retention of device 2 of app number 1: devices: "),
            Corrupted(
                table: "memberships", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2], expiryRowsLeft: 1,
                reported: "retention of device 2 of app number 1: memberships: "),
            Corrupted(
                table: "addresses", key: [], expiryRowsLeft: 1, reported: "retention of a tombstone: addresses: "),
            Corrupted(table: "tombstones", key: [0, 0, 0, 1, 1, 1, 3, 3, 3], expiryRowsLeft: 0, reported: ""),
            Corrupted(
                table: "expiry", key: [1, 0, 0, 0, 0, 0, 0, 0, 0, 9], expiryRowsLeft: 1,
                reported: "a row of expiry: expiry: "),
            Corrupted(table: "events", key: [0, 0, 0, 0, 0, 0, 0, 1], expiryRowsLeft: 0, reported: ""),
            Corrupted(
                table: "subscribers", key: [4] + Array("shopmail".utf8), expiryRowsLeft: 0,
                reported: "a row of subscribers: "),
            Corrupted(
                table: "silent", key: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], expiryRowsLeft: 0,
                reported: "a row of silent: silent: "),
        ]
    }

    /// Makes a registry with a row in every table that sweeps look into.
    private func makeRegistryToSweep() throws {
        let registry = try scratch.open()
        var silent = Message.sample(to: [byToken(1)])
        silent.content.pushType = .background
        try registry.apply([
            .register(1), .register(2, groups: ["user/1"]), .unregister(3),
            .accept(.sample(to: [byToken(2)], key: 5), now: timestamp(1_000)),
            .accept(silent, now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 5_000),
            .recordOutcomes(of: 2, [(0, .delivered)]),
            .acknowledge(EventSubscriber(principal: "shop", name: "mail"), upTo: 1, now: timestamp(1_000)),
        ])
        registry.close()
    }

    /// Replaces a row by one that cannot be read.
    private func corrupt(_ row: Corrupted) throws {
        try scratch.edit { environment, tables in
            let table = try #require(tables.databases.first { $0.name == row.table })
            let key = row.key.isEmpty ? Self.key(of: tables.digest(of: address(3), app: 1), app: 1) : row.key
            try environment.write { transaction in
                try transaction.put(([99] as [UInt8]).span, for: key.span, in: table.database)
            }
        }
    }

    /// Sweeps until everything has expired.
    private func sweepToEnd(_ registry: LMDBRegistry) throws {
        var sweeps = 0
        let end: UInt64 = 10_000_000_000_000
        while sweeps < 10, try registry.sweep(now: timestamp(end)) == .incomplete { sweeps += 1 }
        // A quarantined device that was removed has left a tombstone, which expires later.
        while sweeps < 10, try registry.sweep(now: timestamp(2 * end)) == .incomplete { sweeps += 1 }
        #expect(sweeps < 10, "the sweeps do not end")
    }

    @Test(arguments: Corrupted.all)
    func `an unreadable row does not stop retention`(_ row: Corrupted) throws {
        try makeRegistryToSweep()
        try corrupt(row)
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        try sweepToEnd(registry)
        let texts = reported.take()
        #expect(texts.count == (row.reported.isEmpty ? 0 : 1))
        #expect(texts.first?.hasPrefix(row.reported) ?? row.reported.isEmpty, "\(texts)")
        registry.close()
        try scratch.edit { environment, tables in
            let rows = try environment.read { (transaction) throws in
                try [tables.expiry.database, tables.events.database].map { try transaction.count(in: $0) }
            }
            #expect(rows == [row.expiryRowsLeft, 0])
        }
    }

    private static func key(of address: AddressDigest, app: AppNumber) -> [UInt8] {
        ByteWriter.bytes(capacity: 16) {
            $0.append(app)
            $0.append(address.head)
            $0.append(address.tail)
        }
    }

    /// An interrupted `carillon-dump backup` leaves its reader slot. The slot would keep every page that was in use
    /// then for good.
    @Test func `a sweep forgets readers that died`() async throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            try LMDBRegistry(reading: path).readAfterCheckpoint { (_, _) throws -> Void in _exit(EXIT_SUCCESS) }
        }
        #expect(try registry.statistics().readers == 1)
        #expect(try registry.sweep(now: timestamp(1)) == .complete)
        #expect(try registry.statistics().readers == 0)
    }
}
