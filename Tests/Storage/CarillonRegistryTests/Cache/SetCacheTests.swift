import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// One change may touch any number of sets: they are not all in memory at once.
struct SetCacheTests {
    private let scratch = RegistryDirectory()
    private static let groups = 6
    private static let topics = 50

    /// Makes a registry with two devices in a few groups, each subscribed to topics of its own.
    private func fill() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        for group in 0..<Self.groups {
            let topics = (0..<Self.topics).map { "\(group)/\($0)" }
            try registry.apply([
                .join("g\(group)", devices: [byToken(1)]), .join("g\(group)", devices: [byToken(2)]),
                .subscribe(topics, groups: ["g\(group)"]),
            ])
        }
        let own = (0..<100).map { "own/\($0)" }
        try registry.apply(.subscribe(own, devices: [byToken(1), byToken(2)]))
        registry.close()
    }

    /// Applies changes with room for few sets; returns the largest number of sets that were in memory after a change.
    private func apply(_ changes: [Change], limit: Int) throws -> Int {
        var most = 0
        try scratch.edit { environment, tables in
            var limits = SetCache.Limits()
            limits.sets = limit
            let context = WriteContext(
                tables: tables, options: LMDBRegistry.Options(), setLimits: limits)
            let applier = ChangeApplier(context: context)
            try environment.write { transaction in
                for change in changes {
                    _ = try applier.apply(change, in: &transaction)
                    most = max(most, context.sets.count)
                }
                try context.flush(in: &transaction)
            }
            context.transactionCommitted()
        }
        return most
    }

    private func sets(_ registry: LMDBRegistry) throws -> Int {
        try registry.readAfterCheckpoint { try $0.count(in: $1.sets.database) }
    }

    private static let topicsOfTheFirstGroup = (0..<50).map { "0/\($0)" }

    @Test(
        arguments: [
            [.unregister(1, at: 2_000, now: 2_000), .unregister(2, at: 2_000, now: 2_000)],
            [
                .restore(RestoreRequest(app: game, device: byToken(1)), now: timestamp(1)),
                .leave("g0", devices: [byToken(1), byToken(2)], clearsTopics: true),
            ],
            [.join("g1", devices: [byToken(1), byToken(2)], leaving: "g2"), .join("g2", devices: [byToken(2)])],
            [.unsubscribe(topicsOfTheFirstGroup, devices: [byToken(1)], groups: ["g0"])],
            [
                .register(3, seenAt: 2_000, replaces: 1, now: 2_000), .unregister(3, at: 3_000, now: 3_000),
                .register(1, seenAt: 4_000, now: 4_000),
            ],
        ] as [[Change]])
    func `a change of many sets keeps few in memory`(changes: [Change]) throws {
        try fill()
        let other = try scratch.copy(without: [])
        let most = try apply(changes, limit: 16)
        // The sets that the change itself holds stay in memory beside the 16.
        #expect(most <= 16 + Self.topics + 8, "\(most) sets")
        let registry = try scratch.open()
        #expect(try registry.verify() == [])
        // The result is the same as with room for all sets.
        let expected = try other.open()
        for change in changes { try expected.apply(change) }
        #expect(try sets(registry) == sets(expected))
        for set in 0..<Self.groups * Self.topics {
            let name = SetName.topic("\(set / Self.topics)/\(set % Self.topics)")
            let found = try registry.devices(in: name, of: game, cursor: 0, limit: 10).devices
            #expect(try found == expected.devices(in: name, of: game, cursor: 0, limit: 10).devices)
        }
    }

    @Test func `a set that a caller holds stays the same`() throws {
        try fill()
        try scratch.edit { environment, tables in
            var limits = SetCache.Limits()
            limits.sets = 1
            let cache = SetCache(tables: tables, limits: limits)
            try environment.write { transaction in
                let held = try #require(try cache.find(.group("g0"), app: 1, in: transaction))
                try cache.insert(deviceID(7), into: held, in: transaction)
                for number in 0..<20 {
                    _ = try cache.find(.topic("0/\(number)"), app: 1, in: transaction)
                    try cache.shrinkIfFull(in: &transaction)
                }
                #expect(cache.count < 5)
                #expect(try cache.find(.group("g0"), app: 1, in: transaction) === held)
                try cache.remove(deviceID(7), from: held, in: transaction)
                try cache.flush(in: &transaction)
            }
        }
        #expect(try scratch.open().verify() == [])
    }

    /// A set that is empty in the middle of a change may get a device before its end.
    @Test func `a set that is empty for a moment keeps its number`() throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            var limits = SetCache.Limits()
            limits.sets = 0
            let cache = SetCache(tables: tables, limits: limits)
            try environment.write { transaction in
                func find() throws -> CachedSet? { try cache.find(.topic("t"), app: 1, in: transaction) }
                var made: CachedSet? = try cache.insert(.topic("t"), number: 5, app: 1, in: &transaction)
                try cache.insert(deviceID(7), into: made!, in: transaction)
                made = nil
                try cache.shrinkIfFull(in: &transaction)
                try cache.remove(deviceID(7), from: try #require(try find()), in: transaction)
                try cache.shrinkIfFull(in: &transaction)
                #expect(cache.count == 0)
                #expect(try find()?.number == 5)
                try cache.insert(deviceID(7), into: try #require(try find()), in: transaction)
                try cache.removeIdleSets(in: &transaction)
                try cache.flush(in: &transaction)
                #expect(try tables.sets.get(.topic("t"), app: 1, in: transaction)?.devices == 1)
                try cache.remove(deviceID(7), from: try #require(try find()), in: transaction)
                try cache.shrinkIfFull(in: &transaction)
                try cache.removeIdleSets(in: &transaction)
                try cache.flush(in: &transaction)
                #expect(try tables.sets.get(.topic("t"), app: 1, in: transaction) == nil)
            }
        }
    }
}
