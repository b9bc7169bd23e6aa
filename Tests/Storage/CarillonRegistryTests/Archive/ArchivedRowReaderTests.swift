import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

/// An app that is carried away and brought into another registry is the same there.
struct ArchivedRowReaderTests {
    /// Makes rows of every kind that an archive carries.
    private func fill(_ registry: LMDBRegistry) throws {
        try registry.apply([
            .register(1, locale: "zh-Hant-TW", attributes: ["tier": "gold"], topics: ["level5"], groups: ["user/1"]),
            .register(2, topics: ["b", "a"], groups: ["user/1", "user/2"]), .register(3, kind: .voip), .register(4),
            .subscribe(["guild/7", "level5"], groups: ["user/1", "user/none"]), .mute("user/2"),
            .updateDevice(2, isMuted: true), .unregister(4), .register(5),
            .accept(.sample(to: [byToken(1), byToken(5)]), now: timestamp(1_000)),
        ])
        try registry.apply([
            .recordOutcomes(of: 1, [(1, .tokenUnregistered)], deadSince: 5_000),
            .accept(
                Message(
                    content: MessageContent(app: game, pushType: .background, payload: Array("{}".utf8)),
                    audience: .devices([byToken(1)])), now: timestamp(2_000)),
        ])
        try registry.apply(.recordOutcomes(of: 2, [(0, .delivered)], now: 3_000))
    }

    /// All that an archive of the app would have.
    private struct Rows: Equatable {
        var next: DeviceID?
        var counts: ArchiveCounts
        var groups: [ArchivedGroup] = []
        var devices: [ArchivedDevice] = []
        var tombstones: [ArchivedTombstone] = []

        /// Reads the rows of an archive in pages of one row.
        init(_ registry: LMDBRegistry) throws {
            next = try registry.nextDevice(of: game)
            counts = try registry.archiveCounts(of: game)
            var group: GroupName?
            repeat {
                let page = try registry.archivedGroups(of: game, after: group, limit: 1)
                groups += page.rows
                group = page.last
            } while group != nil
            var device: DeviceID?
            repeat {
                let rows = try registry.archivedDevices(of: game, after: device, limit: 1)
                devices += rows
                device = rows.last?.device.id
            } while device != nil
            var address: DeviceAddress?
            repeat {
                let rows = try registry.archivedTombstones(of: game, after: address, limit: 1)
                tombstones += rows
                address = rows.last?.address
            } while address != nil
        }
    }

    @Test func `an export contains all rows of its app`() throws {
        let here = RegistryDirectory()
        let registry = try here.open()
        try fill(registry)
        #expect(try registry.verify() == [])
        let rows = try Rows(registry)
        #expect(
            rows.groups.map { "\($0.name.name) \($0.isMuted)" } == ["user/1 false", "user/2 true", "user/none false"])
        #expect(
            rows.devices.map { "\($0.device.id.rawValue) \($0.device.isMuted) \($0.device.state)" } == [
                "1 false active", "2 true active", "3 false active", "5 false quarantined",
            ])
        #expect(rows.devices[0].silentPushes == [timestamp(3_000)])
        #expect(rows.devices[1].topics.map(\.name) == ["a", "b"])
        #expect(rows.devices[3].quarantinedAt == timestamp(2_000))
        #expect(rows.tombstones.map(\.address) == [address(4)])
        #expect(rows.next == deviceID(6))
        #expect(rows.counts.total == 3 + 4 + 1)
    }

    @Test func `an exported app is the same after its import`() throws {
        let (here, there) = (RegistryDirectory(), RegistryDirectory())
        let registry = try here.open()
        try fill(registry)
        let rows = try Rows(registry)

        try FileManager.default.createDirectory(atPath: there.path, withIntermediateDirectories: true)
        do {
            let builder = try RegistryBuilder(path: there.path)
            #expect(try builder.add(game, next: try #require(rows.next)))
            try builder.add(rows.groups, to: game)
            try builder.add(rows.devices, to: game)
            try builder.add(rows.tombstones, to: game)
            #expect(try !builder.add(game, next: deviceID(1)), "it is there already")
        }
        let other = try there.open()
        #expect(try other.verify() == [])
        #expect(try Rows(other) == rows)
        #expect(other.epoch != registry.epoch)
        // A stale registration stays stale, and no id is given twice.
        let answers = try other.apply([.register(4, seenAt: 1), .register(9)])
        #expect(answers == [.refused(.stale), .registered(deviceID(6), .created, ended: nil)])
        #expect(try other.explain(Condition("'guild/7' in topics"), app: game).devices == 2)
        #expect(try other.verify() == [])
    }

    @Test func `a reader refuses changes and sees those of others`() throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.open()
        try fill(registry)
        let copy = TemporaryDirectory()
        try registry.copy(to: copy.path, compacting: true)
        let reader = try LMDBRegistry(reading: copy.path)
        #expect(try Rows(reader) == Rows(registry))
        #expect(try reader.verifyFile() == [])
        #expect(reader.epoch == registry.epoch)
        // Only the commit that detaches a copy from the log leaves free pages in it.
        #expect(try reader.freePages() < 10)
        #expect(throws: RegistryError.closed) { try reader.apply(.register(7)) }
        reader.close()
        #expect(throws: RegistryError.closed) { try reader.apps() }
        withExtendedLifetime(copy) {}
    }

    @Test func `the statistics of an app are those of its rows`() throws {
        let directory = RegistryDirectory()
        let registry = try directory.open()
        try fill(registry)
        let found = try registry.registryStatistics(largest: 1)
        let app = try #require(found.apps.first)
        #expect(app.devices == 3)
        #expect(app.quarantined == 1)
        #expect(app.groups == 3)
        #expect(app.topics == 4)
        #expect([["guild/7"], ["level5"]].contains(app.largestTopics.map(\.name)))
        #expect(app.messages == [.finished: 1, .sending: 1])
        #expect(app.pending == 1)
        #expect(found.tombstones == 1)
        #expect(found.lastMessage == 2)
    }

    @Test func `the devices of an app are read in pages`() throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.open()
        try fill(registry)
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try registry.devices(of: game, cursor: cursor, limit: 2)
            seen += page.devices.map(\.id.rawValue)
            #expect(page.devices.map(\.isMuted) == page.devices.map { $0.id.rawValue == 2 })
            cursor = page.next
        } while cursor != 0
        #expect(seen == [1, 2, 3, 5])
        #expect(try registry.devices(of: game, cursor: .max, limit: 2).devices == [])
        #expect(try registry.devices(of: try #require(AppID("com.example.none")), cursor: 0, limit: 2).devices == [])
    }
}
