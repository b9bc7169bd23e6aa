import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// SUBSCRIBE and UNSUBSCRIBE (Protocol 9): the topics of devices and groups. Topics of devices are written after they
/// are answered, and the later changes of the same batch see them all the same.
struct TopicApplierTests {
    private let scratch = RegistryDirectory()

    private static let level = MembershipTranscript.level
    private static let user = MembershipTranscript.user

    static let transcripts = [
        MembershipTranscript(
            "a topic stays while one source holds it",
            [
                .register(1, topics: ["level5"], groups: ["user/1", "role/9"]),
                .subscribe(["level5"], groups: ["user/1", "role/9"]), .unsubscribe(["level5"], devices: [byToken(1)]),
                .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [1]]
        ),
        MembershipTranscript(
            "a topic goes with its last source",
            [
                .register(1, topics: ["level5"], groups: ["user/1"]), .subscribe(["level5"], groups: ["user/1"]),
                .leave("user/1", devices: [byToken(1)]), .unsubscribe(["level5"], devices: [byToken(1)]),
            ],
            holds: [level: [], user: []]
        ),
        MembershipTranscript(
            "subscribed twice, by token and by id, and to another topic with it",
            [
                .register(1), .subscribe(["level5"], devices: [byToken(1), .id(deviceID(1)), byToken(9)]),
                .subscribe(["level5", "level6"], devices: [.id(deviceID(1)), byToken(1)]),
                .subscribe(["level5"], devices: [byToken(9)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        MembershipTranscript(
            "subscribed, unsubscribed, subscribed",
            [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .unsubscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .subscribe(["level5"], devices: [byToken(2)]),
            ],
            holds: [level: [2]]
        ),
        MembershipTranscript(
            "subscribed, and again with a topic that a group holds",
            [
                .register(1, groups: ["user/1"]), .subscribe(["level6"], groups: ["user/1"]),
                .subscribe(["level5"], devices: [byToken(1)]), .subscribe(["level5", "level6"], devices: [byToken(1)]),
                .leave("user/1", devices: [byToken(1)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        MembershipTranscript(
            "subscribed, then a group takes the same topic and lets go of it",
            [
                .register(1, groups: ["user/1"]), .register(2, groups: ["user/1"]),
                .subscribe(["level5"], devices: [byToken(1)]), .subscribe(["level5"], groups: ["user/1"]),
                .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [1]]
        ),
        MembershipTranscript(
            "subscribed, then registered again with the topic",
            [
                .register(1), .subscribe(["level5"], devices: [byToken(1)]),
                .register(1, topics: ["level5", "level6"]),
                .unsubscribe(["level5"], devices: [byToken(1)]),
            ],
            holds: [level: [], "'level6' in topics": [1]]
        ),
        MembershipTranscript(
            "subscribed, then the token is replaced",
            [
                .register(1), .subscribe(["level5"], devices: [byToken(1)]), .register(2, replaces: 1),
                .subscribe(["level6"], devices: [byToken(2)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        MembershipTranscript(
            "subscribed, then another device takes the token over",
            [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(2)]), .register(2, replaces: 1),
            ],
            holds: [level: [], "all": [1]]
        ),
        MembershipTranscript(
            "subscribed, then signed out of all",
            [
                .register(1, groups: ["user/1"]), .subscribe(["level5"], devices: [byToken(1)]),
                .leave("user/1", devices: [byToken(1)], clearsTopics: true),
                .subscribe(["level6"], devices: [byToken(1)]),
            ],
            holds: [level: [], user: [], "'level6' in topics": [1]]
        ),
        MembershipTranscript(
            "subscribed, unregistered, and registered anew",
            [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .unregister(1), .register(1, now: 2_000),
            ],
            holds: [level: [2], "all": [2, 3]]
        ),
    ]

    @Test(arguments: transcripts)
    func `changes have the answers and topics of the transcript`(_ transcript: MembershipTranscript) throws {
        try transcript.check()
    }

    @Test func `a subscription counts its changes and names the unknown devices`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        var expected = ChangeAnswer.MembershipChange()
        expected.changed = 4
        expected.unknown = [1]
        expected.device = deviceID(2)
        expected.affected = .devices([deviceID(1), deviceID(2)])
        let devices = [byToken(2), byToken(9), byToken(1), byToken(2)]
        #expect(try registry.apply(.subscribe(["a", "b", "a"], devices: devices)) == .membership(expected))
    }

    @Test func `a change of too many devices is reported as a change of all`() throws {
        let registry = try scratch.open()
        for round in 0..<2 {
            let numbers = (0..<600).map { UInt16(round * 600 + $0) }
            try registry.apply(numbers.map { MemberFinderLimitTests.registration($0, groups: ["all/1"]) })
        }
        #expect(try registry.apply(.subscribe(["level5"], groups: ["all/1"])).affected == .allDevices)
        #expect(try registry.explain(Condition("'level5' in topics"), app: game).devices == 1_200)
        try registry.apply(.unsubscribe(["level5"], groups: ["all/1"]))
        #expect(try registry.explain(Condition("'level5' in topics"), app: game).devices == 0)
        #expect(try registry.verify() == [])
    }

    /// The numbers of sets are part of the state, and follow from the request.
    @Test(arguments: [1, 2])
    func `new topics are numbered in the order of the request`(devices: UInt8) throws {
        let registry = try scratch.open()
        for token in 1...devices { try registry.apply(.register(token)) }
        let names = (1...20).map { "t/\($0 * 7 % 20)" }
        try registry.apply(
            .subscribe(names, devices: (1...devices).map { byToken($0) }, groups: devices == 1 ? [] : ["g"]))
        let numbers = try registry.readAfterCheckpoint { transaction, tables in
            try names.map { try tables.sets.get(.topic(TopicName($0)!), app: 1, in: transaction)?.number }
        }
        #expect(numbers.compactMap { $0 }.count == names.count)
        #expect(numbers.compactMap { $0 } == numbers.compactMap { $0 }.sorted())
    }
}
