import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// REGISTER and REGISTER_BATCH (Protocol 7.1, 7.2): new, known, moved and refused tokens, and their attributes.
struct RegistrationApplierTests {
    private let scratch = RegistryDirectory()

    static let transcripts = [
        AnswerTranscript(
            "an unknown token makes a device, a known one refreshes it",
            [
                .register(1): .created(1),
                .register(2): .created(2),
                .register(1): .refreshed(1),
            ]),
        AnswerTranscript(
            "what is refused leaves no trace, whether the token is known or not",
            [
                .register(1, attributes: tooMany): .refused(.tooMany(.attributes)),
                .register(1): .created(1),
                .register(1, attributes: tooMany): .refused(.tooMany(.attributes)),
                .unregister(1): .unregistered(deviceID(1)),
                .register(2, topics: topics(64)): .created(2),
                .register(2, topics: topics(64)): .registered(
                    deviceID(2), .refreshed, ended: nil, changesAudiences: true),
                .register(3): .created(3),
            ]),
        AnswerTranscript(
            "the same token of another kind is another device",
            [
                .register(1): .created(1),
                .register(1, kind: .voip): .created(2),
            ]),
        AnswerTranscript(
            "an earlier registration is stale, an equal one repeats itself",
            [
                .register(1, seenAt: 500): .created(1),
                .register(1, seenAt: 499): .refused(.stale),
                .register(1, seenAt: 500): .refreshed(1),
            ]),
        AnswerTranscript(
            "a stale registration is refused as stale, also if it has too many attributes",
            [
                .register(1, seenAt: 500): .created(1),
                .register(1, seenAt: 499, attributes: tooMany): .refused(.stale),
                .register(1, seenAt: 500, attributes: tooMany): .refused(.tooMany(.attributes)),
            ]),
        AnswerTranscript(
            "a time in the future is now",
            [
                .register(1, seenAt: 9_000): .created(1),
                .register(1, seenAt: 1_000): .refreshed(1),
                .register(1, seenAt: 999): .refused(.stale),
            ]),
        AnswerTranscript(
            "a tombstone refuses what is not later, and an id is not used again",
            [
                .register(1, seenAt: 500): .created(1),
                .unregister(1, at: 600): .unregistered(deviceID(1)),
                .register(1, seenAt: 600): .refused(.stale),
                .register(1, seenAt: 601): .created(2),
            ]),
        AnswerTranscript(
            "replaces keeps the id and writes a tombstone of the old token",
            [
                .register(1, seenAt: 500): .created(1),
                .register(2, seenAt: 600, replaces: 1): .replaced(1),
                .register(1, seenAt: 600): .refused(.stale),
                .register(2, seenAt: 600, replaces: 1): .refreshed(1),
                .register(1, seenAt: 601): .created(2),
            ]),
        AnswerTranscript(
            "replaces ends another device that holds the new token",
            [
                .register(1): .created(1),
                .register(2): .created(2),
                .register(2, replaces: 1): .registered(deviceID(1), .replaced, ended: deviceID(2)),
                .unregister(id: 2): .refused(.notFound),
            ]),
        AnswerTranscript(
            "replaces of a token without a device, or of itself, has no effect",
            [
                .register(1, replaces: 9): .created(1),
                .register(1, replaces: 1): .refreshed(1),
                .unregister(8): .unregistered(nil),
                .register(2, replaces: 8): .created(2),
            ]),
        AnswerTranscript(
            "replaces is stale if the old token, or the new one, is later",
            [
                .register(1, seenAt: 500): .created(1),
                .register(2, seenAt: 499, replaces: 1): .refused(.stale),
                .register(3, seenAt: 700): .created(2),
                .register(3, seenAt: 600, replaces: 1): .refused(.stale),
                .unregister(4, at: 800): .unregistered(nil),
                .register(4, seenAt: 800, replaces: 1): .refused(.stale),
                .register(1, seenAt: 500): .refreshed(1),
            ]),
    ]

    private static let tooMany = Dictionary(uniqueKeysWithValues: (0...16).map { ("key\($0)", "value") })

    private static func topics(_ count: Int) -> [String] { (0..<count).map { "topic/\($0)" } }

    @Test(arguments: transcripts)
    func `registrations have the answers of the transcript`(_ transcript: AnswerTranscript) throws {
        try transcript.check()
    }

    /// Each of these can take the device out of a condition with `!`.
    @Test(arguments: [
        Change.register(1, locale: "de"), .register(1, attributes: ["level": "5"]), .register(1, topics: ["news"]),
        .register(1, groups: ["user/1"]),
    ])
    func `a registration that can change a condition affects a known device`(_ change: Change) throws {
        let registry = try scratch.open()
        let answers = try registry.apply([change, .register(1), change])
        #expect(answers.map(\.affected) == [.devices([]), .devices([]), .devices([deviceID(1)])])
    }

    @Test func `a stored time ahead of the clock counts as now`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, now: 9_000), .register(2, now: 9_000), .unregister(3, now: 9_000)])
        let early = try [
            Change.register(1, seenAt: 999, now: 1_000), .unregister(1, at: 999, now: 1_000),
            .register(3, seenAt: 999, now: 1_000),
        ].map { try registry.apply($0) }
        #expect(early == [.refused(.stale), .refused(.stale), .refused(.stale)])
        #expect(try registry.apply(.register(1, now: 1_000)) == .registered(deviceID(1), .refreshed, ended: nil))
        #expect(try registry.apply(.unregister(2, now: 1_000)) == .unregistered(deviceID(2)))
        // The tombstone of 9,000 is replaced by one of 1,000.
        #expect(try registry.apply(.unregister(3, now: 1_000)) == .unregistered(nil))
        #expect(try registry.apply(.register(3, now: 1_000)) == .refused(.stale))
        #expect(try registry.apply(.register(3, now: 1_001)) == .registered(deviceID(3), .created, ended: nil))
        #expect(try registry.verify() == [])
    }

    @Test func `a registration wins over a tombstone from the future`() throws {
        let registry = try scratch.open()
        try registry.apply(.unregister(1, now: 9_000))
        #expect(try registry.apply(.register(1, now: 1_000)) == .registered(deviceID(1), .created, ended: nil))
    }

    /// A set without devices is removed; the next device with the same traits makes it anew.
    @Test func `the sets of the same traits are found again`() throws {
        let registry = try scratch.open()
        for round in 1...3 as ClosedRange<UInt8> {
            try registry.apply([
                .register(round, locale: "de-AT", attributes: ["platform": "ios"]),
                .register(round + 10, locale: "de-AT", attributes: ["platform": "ios"]),
                .register(round + 20, locale: "de-AT", attributes: ["platform": "macos"]),
            ])
            #expect(try registry.explain(Condition("locale == 'de' && platform == 'ios'"), app: game).devices == 2)
            #expect(try registry.explain(Condition("locale == 'de-at'"), app: game).devices == 3)
            #expect(try registry.verify() == [])
            try registry.apply([.unregister(round), .unregister(round + 10), .unregister(round + 20)])
            #expect(try registry.explain(.all, app: game).devices == 0)
            #expect(try registry.verify() == [])
        }
    }

    @Test func `a locale stays until another is given and goes if that is empty`() throws {
        let registry = try scratch.open()
        var stored: [String?] = []
        for locale in ["en-GB", nil, "de", "", nil] as [String?] {
            try registry.apply(.register(1, locale: locale))
            stored.append(try registry.device(byToken(1), of: game)?.locale)
        }
        #expect(stored == ["en-GB", "en-GB", "de", nil, nil])
    }

    @Test func `a replaced token leads nowhere and the device has the new one`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, locale: "fr", now: 100), .register(2, seenAt: 150, replaces: 1, now: 200)])
        let device = DeviceRecord(
            id: deviceID(1),
            address: address(2),
            registeredAt: timestamp(200),
            seenAt: timestamp(150),
            state: .active,
            locale: "fr"
        )
        #expect(try registry.device(byToken(1), of: game) == nil)
        #expect(try registry.device(byToken(2), of: game) == device)
        #expect(try registry.device(.id(deviceID(1)), of: game) == device)
        #expect(try registry.device(.id(deviceID(1)), of: AppID("com.example.other")!) == nil)
    }

    /// No client can make two such addresses, and chance does not: the test writes the row itself.
    @Test(arguments: [false, true]) func `the second of two addresses with one digest is refused`(isBulkIngest: Bool)
        throws
    {
        let first = try scratch.open()
        try first.apply(.register(1))
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                try tables.addresses.put(
                    .device(deviceID(1)), for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
            }
        }
        let registry = try scratch.open { if isBulkIngest { $0.ingestInBulk() } }
        let refusal = RegistryError.corrupted("addresses: device 1 has no row in devices, or another address")
        #expect(throws: refusal) { try registry.apply(.register(9)) }
        #expect(throws: refusal) { try registry.apply(.unregister(9)) }
        #expect(throws: refusal) { try registry.device(byToken(9), of: game) }
        #expect(try registry.device(byToken(1), of: game)?.address == address(1))
        #expect(try registry.apply(.register(1)) == .registered(deviceID(1), .refreshed, ended: nil))
    }

    /// A disk has altered the row that says that there is a tombstone.
    @Test func `a tombstone without a row in addresses is removed as well`() throws {
        let first = try scratch.open()
        try first.apply([.register(1), .unregister(1)])
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                try tables.addresses.delete(tables.digest(of: address(1), app: 1), app: 1, in: &transaction)
            }
        }
        let registry = try scratch.open()
        #expect(try registry.apply(.register(1)) == .registered(deviceID(2), .created, ended: nil))
        #expect(try registry.archiveCounts(of: game).tombstones == 1)
        #expect(try registry.verify() == [.orphanedTombstone(app: 1, address(1))])
        while try registry.sweep(now: timestamp(10_000_000_000_000)) == .incomplete {}
        #expect(try registry.archivedTombstones(of: game, after: nil, limit: 10) == [])
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(2))
        #expect(try registry.verify() == [])
    }

    /// Each of these devices would get 50,000 topics: two of a batch may, and each of them in a request of its own.
    @Test func `the registrations of a batch gain topics of groups up to the limit`() throws {
        let registry = try scratch.open()
        let groups = (0..<25).map { "g\($0)" }
        for round in 0..<2 {
            let topics = (0..<1_000).map { "t\(round * 1_000 + $0)" }
            for group in groups { try registry.apply(.subscribe(topics, groups: [group])) }
        }
        func isRefused(_ changes: [Change]) throws -> [Bool] {
            try registry.apply(changes).map { $0 == .refused(.tooMany(.topicsOfDevices)) }
        }
        #expect(try isRefused((1...4).map { Change.register($0, groups: groups) }) == [false, false, true, true])
        #expect(try isRefused([.register(1, groups: groups), .register(5, groups: groups)]) == [false, false])
        #expect(try isRefused([.register(3, groups: groups)]) == [false])
        #expect(try isRefused([.register(4, groups: groups + groups)]) == [false], "each group counts once")
        #expect(try registry.verify() == [])
    }
}
