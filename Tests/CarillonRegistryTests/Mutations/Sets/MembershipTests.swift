import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Groups, topics, mute, attributes and languages: the devices of sets after changes.
struct MembershipTests {
    private let scratch = RegistryDirectory()

    struct Transcript: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [Change]
        /// The conditions, each with the devices that it holds for afterwards.
        let holds: [String: [UInt64]]
    }

    static let level = "'level5' in topics"
    static let user = "'user/1' in groups"

    static let transcripts = [
        Transcript(
            testDescription: "a registration brings topics, groups, attributes and its language",
            changes: [
                .register(
                    1, locale: "zh-Hant-TW", attributes: ["platform": "ios"], topics: ["level5"], groups: ["user/1"]),
                .register(2, locale: "en", attributes: ["platform": "macos"]),
            ],
            holds: [
                level: [1], user: [1], "platform == 'ios'": [1], "platform != 'ios'": [2], "locale == 'zh'": [1],
                "locale == 'zh-hant'": [1], "locale == 'en'": [2], "all": [1, 2],
                "environment == 'production'": [1, 2],
                "kind == 'voip'": [],
            ]
        ),
        Transcript(
            testDescription: "a device in a group inherits its topics, and loses them with it",
            changes: [
                .register(1), .register(2), .join("user/1", devices: [byToken(1)]),
                .subscribe(["level5"], groups: ["user/1"]),
                .join("user/1", devices: [byToken(2)]), .leave("user/1", devices: [byToken(1)]),
            ],
            holds: [level: [2], user: [2]]
        ),
        Transcript(
            testDescription: "a topic stays while one source holds it",
            changes: [
                .register(1, topics: ["level5"], groups: ["user/1", "role/9"]),
                .subscribe(["level5"], groups: ["user/1", "role/9"]), .unsubscribe(["level5"], devices: [byToken(1)]),
                .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [1]]
        ),
        Transcript(
            testDescription: "a topic goes with its last source",
            changes: [
                .register(1, topics: ["level5"], groups: ["user/1"]), .subscribe(["level5"], groups: ["user/1"]),
                .leave("user/1", devices: [byToken(1)]), .unsubscribe(["level5"], devices: [byToken(1)]),
            ],
            holds: [level: [], user: []]
        ),
        Transcript(
            testDescription: "a group's topic is taken from devices that are not subscribed themselves",
            changes: [
                .register(1, groups: ["user/1"]), .register(2, topics: ["level5"], groups: ["user/1"]),
                .subscribe(["level5"], groups: ["user/1"]), .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [2]]
        ),
        Transcript(
            testDescription: "a group may hold topics before it has a device",
            changes: [
                .subscribe(["level5"], groups: ["user/1"]), .register(1),
                .join("user/1", devices: [byToken(1), byToken(9)]),
            ],
            holds: [level: [1]]
        ),
        Transcript(
            testDescription: "a switch leaves and joins in one step",
            changes: [
                .register(1, groups: ["role/1"]), .subscribe(["level1"], groups: ["role/1"]),
                .subscribe(["level5"], groups: ["role/2"]), .join("role/2", devices: [byToken(1)], leaving: "role/1"),
            ],
            holds: [level: [1], "'level1' in topics": [], "'role/1' in groups": [], "'role/2' in groups": [1]]
        ),
        Transcript(
            testDescription: "a sign-out ends own topics as well, but not the master switch",
            changes: [
                .register(1, topics: ["level5", "en"], groups: ["user/1"]), .updateDevice(1, isMuted: true),
                .leave("user/1", devices: [byToken(1)], clearsTopics: true),
            ],
            holds: [level: [], "'en' in topics": [], user: []]
        ),
        Transcript(
            testDescription: "a replaced token keeps everything, the device that ends loses everything",
            changes: [
                .register(1, locale: "en", attributes: ["platform": "ios"], topics: ["level5"], groups: ["user/1"]),
                .register(2, topics: ["level5"], groups: ["user/1"]), .register(2, replaces: 1),
            ],
            holds: [level: [1], user: [1], "platform == 'ios'": [1], "locale == 'en'": [1], "all": [1]]
        ),
        Transcript(
            testDescription: "an unregistered device is in no set and comes back with nothing",
            changes: [
                .register(1, topics: ["level5"], groups: ["user/1"]), .unregister(1),
                .register(1, seenAt: 0, now: 2_000),
            ],
            holds: [level: [], user: [], "all": [2]]
        ),
        Transcript(
            testDescription: "a platform is that of the provider unless it is set",
            changes: [
                .register(1), .register(2, kind: .fcm), .register(3, kind: .fid), .register(4, kind: .web),
                .register(5, attributes: ["platform": "macos"]), .register(6, attributes: ["platform": "tvos"]),
                .updateDevice(6, attributes: ["platform": ""]),
                .register(7, kind: .fcm, attributes: ["platform": "ios"]),
                .register(8, kind: .voip),
            ],
            holds: [
                "platform == 'ios'": [1, 6, 7, 8], "platform == 'android'": [2, 3], "platform == 'web'": [4],
                "platform == 'macos'": [5], "platform == 'tvos'": [], "platform != 'ios'": [2, 3, 4, 5],
                "kind == 'fcm'": [2, 7],
            ]
        ),
        Transcript(
            testDescription: "language and attributes change with an update, and with nothing else",
            changes: [
                .register(1, locale: "en-GB", attributes: ["platform": "ios", "region": "eu"]),
                .updateDevice(1, locale: "de", attributes: ["region": ""]), .register(1),
            ],
            holds: [
                "locale == 'en'": [], "locale == 'de'": [1], "region == 'eu'": [], "platform == 'ios'": [1],
            ]
        ),
        // What devices hold is written later than it is answered for: others in the same batch find it all the same.
        Transcript(
            testDescription: "subscribed twice, by token and by number, and to another topic with it",
            changes: [
                .register(1), .subscribe(["level5"], devices: [byToken(1), .id(deviceID(1)), byToken(9)]),
                .subscribe(["level5", "level6"], devices: [.id(deviceID(1)), byToken(1)]),
                .subscribe(["level5"], devices: [byToken(9)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        Transcript(
            testDescription: "subscribed, unsubscribed, subscribed",
            changes: [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .unsubscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .subscribe(["level5"], devices: [byToken(2)]),
            ],
            holds: [level: [2]]
        ),
        Transcript(
            testDescription: "subscribed, and again with a topic that a group holds",
            changes: [
                .register(1, groups: ["user/1"]), .subscribe(["level6"], groups: ["user/1"]),
                .subscribe(["level5"], devices: [byToken(1)]), .subscribe(["level5", "level6"], devices: [byToken(1)]),
                .leave("user/1", devices: [byToken(1)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        Transcript(
            testDescription: "subscribed, then a group takes the same topic and lets go of it",
            changes: [
                .register(1, groups: ["user/1"]), .register(2, groups: ["user/1"]),
                .subscribe(["level5"], devices: [byToken(1)]), .subscribe(["level5"], groups: ["user/1"]),
                .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [1]]
        ),
        Transcript(
            testDescription: "subscribed, then registered again with the topic",
            changes: [
                .register(1), .subscribe(["level5"], devices: [byToken(1)]),
                .register(1, topics: ["level5", "level6"]),
                .unsubscribe(["level5"], devices: [byToken(1)]),
            ],
            holds: [level: [], "'level6' in topics": [1]]
        ),
        Transcript(
            testDescription: "subscribed, then the token is replaced",
            changes: [
                .register(1), .subscribe(["level5"], devices: [byToken(1)]), .register(2, replaces: 1),
                .subscribe(["level6"], devices: [byToken(2)]),
            ],
            holds: [level: [1], "'level6' in topics": [1]]
        ),
        Transcript(
            testDescription: "subscribed, then another device takes the token over",
            changes: [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(2)]), .register(2, replaces: 1),
            ],
            holds: [level: [], "all": [1]]
        ),
        Transcript(
            testDescription: "subscribed, then signed out of all",
            changes: [
                .register(1, groups: ["user/1"]), .subscribe(["level5"], devices: [byToken(1)]),
                .leave("user/1", devices: [byToken(1)], clearsTopics: true),
                .subscribe(["level6"], devices: [byToken(1)]),
            ],
            holds: [level: [], user: [], "'level6' in topics": [1]]
        ),
        Transcript(
            testDescription: "subscribed, unregistered, and registered anew",
            changes: [
                .register(1), .register(2), .subscribe(["level5"], devices: [byToken(1), byToken(2)]),
                .unregister(1), .register(1, now: 2_000),
            ],
            holds: [level: [2], "all": [2, 3]]
        ),
    ]

    @Test(arguments: transcripts)
    func changesHaveTheAnswersAndMembershipsOfTheTranscript(_ transcript: Transcript) throws {
        let together = try scratch.open()
        let answers = try together.apply(transcript.changes)
        let another = RegistryDirectory()
        let oneByOne = try another.open()
        #expect(try transcript.changes.map { try oneByOne.apply($0) } == answers)
        // With the first change it has learnt that no address is known.
        let other = RegistryDirectory()
        let ingesting = try other.open { $0.ingestInBulk() }
        defer { withExtendedLifetime((other, another)) {} }
        #expect(
            try ([Change.updateDevice(250)] + transcript.changes).map { try ingesting.apply($0) }.dropFirst()
                == answers[...])
        for registry in [together, oneByOne, ingesting] {
            for (text, devices) in transcript.holds {
                let condition = try Condition(text)
                #expect(try registry.explain(condition, app: game).devices == devices.count, "\(text)")
                let message = Message.sample(toAll: .condition(condition))
                guard case .accepted(let acceptance, _) = try registry.apply(.accept(message, now: timestamp(1_000)))
                else {
                    Issue.record("not accepted")
                    return
                }
                let page = try registry.nextPage(of: acceptance.id, from: 0)
                #expect(page?.recipients.compactMap(\.device?.rawValue) ?? [] == devices, "\(text)")
            }
            #expect(try registry.verify() == [])
            registry.close()
        }
    }

    @Test func changesAreCountedAndUnknownDevicesAreNamed() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2)])
        var expected = MembershipChangeResult()
        expected.changed = 2
        expected.unknown = [1]
        expected.device = deviceID(2)
        expected.affected = .devices([deviceID(1), deviceID(2)])
        let devices = [byToken(2), byToken(9), byToken(1), byToken(2)]
        #expect(try registry.apply(.join("user/1", devices: devices)) == .membership(expected))
        expected.changed = 0
        expected.affected = .devices([])
        #expect(try registry.apply(.join("user/1", devices: devices)) == .membership(expected))
        expected.changed = 4
        expected.affected = .devices([deviceID(1), deviceID(2)])
        #expect(try registry.apply(.subscribe(["a", "b", "a"], devices: devices)) == .membership(expected))
        let changes = [
            Change.mute("user/1"), .mute("user/1"), .updateGroup("user/1", isMuted: nil),
            .updateGroup("user/none", isMuted: false),
        ]
        let mutes = try changes.map { try registry.apply($0) }
        #expect(
            mutes == [
                .groupUpdated(devices: 2, hasChanged: true), .groupUpdated(devices: 2, hasChanged: false),
                .groupUpdated(devices: 2, hasChanged: false), .groupUpdated(devices: 0, hasChanged: false),
            ])
        #expect(try registry.apply(.updateDevice(9, isMuted: true)) == .refused(.notFound))
        var unknown = MembershipChangeResult()
        unknown.unknown = [0]
        #expect(try registry.apply(.leave("user/1", devices: [byToken(9)])) == .membership(unknown))
    }

    @Test func aChangeOfTooManyDevicesIsReportedAsAChangeOfAll() throws {
        let registry = try scratch.open()
        for round in 0..<2 {
            let numbers = (0..<600).map { UInt16(round * 600 + $0) }
            _ = try registry.apply(numbers.map { MembershipLimitTests.registration($0, groups: ["all/1"]) })
        }
        guard case .membership(let answer) = try registry.apply(.subscribe(["level5"], groups: ["all/1"])) else {
            Issue.record("refused")
            return
        }
        #expect(answer.affected == .allDevices)
        #expect(try registry.explain(Condition("'level5' in topics"), app: game).devices == 1_200)
        _ = try registry.apply(.unsubscribe(["level5"], groups: ["all/1"]))
        #expect(try registry.explain(Condition("'level5' in topics"), app: game).devices == 0)
        #expect(try registry.verify() == [])
    }

    @Test func aQuarantinedDeviceIsInNothingAndReturnsToEverything() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1, topics: ["level5"], groups: ["user/1"]), .subscribe(["en"], groups: ["user/1"]),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_000),
        ])
        #expect(try registry.explain(.all, app: game).devices == 0)
        #expect(try registry.topics(of: game, prefix: "", after: "", limit: 9).rows.map(\.devices) == [0, 0])
        #expect(try registry.groups(of: game, prefix: "", after: "", limit: 9).rows.map(\.name) == ["user/1"])
        _ = try registry.apply([.subscribe(["zh"], devices: [byToken(1)]), .join("role/9", devices: [byToken(1)])])
        #expect(try registry.verify() == [])
        _ = try registry.apply(.register(1, now: 2_000))
        let text = "'level5' in topics && 'en' in topics && 'zh' in topics && 'role/9' in groups"
        #expect(try registry.explain(Condition(text), app: game).devices == 1)
        #expect(try registry.verify() == [])
    }

    @Test func aDeviceIsMutedByItselfOrByAGroupOfIts() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .register(2, groups: ["user/1"]), .register(3), .mute("user/1"),
            .updateDevice(1, isMuted: true),
            .accept(.sample(to: [byToken(1), byToken(2), byToken(3)]), now: timestamp(1_000)),
        ])
        let first = MessageID(rawValue: 1)
        func endings() throws -> [Outcome?]? {
            try registry.pendingRecipients(of: first, page: 0)?.recipients.map(\.ending)
        }
        #expect(try endings() == [.muted, .muted, nil])
        #expect(try registry.device(byToken(1), of: game)?.isMuted == true)
        #expect(try registry.device(byToken(2), of: game)?.isMuted == false)
        let memberships = try registry.memberships(of: byToken(2), app: game, after: "", limit: 9)
        #expect(memberships?.groups == [.init(group: "user/1", isMuted: true)])
        #expect(memberships?.topics == [])
        _ = try registry.apply([
            .register(1, now: 2_000), .leave("user/1", devices: [byToken(2)]), .join("user/1", devices: [byToken(3)]),
        ])
        #expect(try endings() == [.muted, nil, .muted])
        _ = try registry.apply([.updateDevice(1, isMuted: false), .updateGroup("user/1", isMuted: false)])
        #expect(try endings() == [nil, nil, nil])
        #expect(try registry.verify() == [])
    }
}
