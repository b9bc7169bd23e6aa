import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// JOIN, LEAVE, SWITCH and UPDATE_GROUP (Protocol 8): the members and the topics of groups.
struct GroupApplierTests {
    private let scratch = RegistryDirectory()

    private static let level = MembershipTranscript.level
    private static let user = MembershipTranscript.user

    static let transcripts = [
        MembershipTranscript(
            "a device in a group inherits its topics, and loses them with it",
            [
                .register(1), .register(2), .join("user/1", devices: [byToken(1)]),
                .subscribe(["level5"], groups: ["user/1"]),
                .join("user/1", devices: [byToken(2)]), .leave("user/1", devices: [byToken(1)]),
            ],
            holds: [level: [2], user: [2]]
        ),
        MembershipTranscript(
            "a group's topic is taken from devices that are not subscribed themselves",
            [
                .register(1, groups: ["user/1"]), .register(2, topics: ["level5"], groups: ["user/1"]),
                .subscribe(["level5"], groups: ["user/1"]), .unsubscribe(["level5"], groups: ["user/1"]),
            ],
            holds: [level: [2]]
        ),
        MembershipTranscript(
            "a group may hold topics before it has a device",
            [
                .subscribe(["level5"], groups: ["user/1"]), .register(1),
                .join("user/1", devices: [byToken(1), byToken(9)]),
            ],
            holds: [level: [1]]
        ),
        MembershipTranscript(
            "a switch leaves and joins in one step",
            [
                .register(1, groups: ["role/1"]), .subscribe(["level1"], groups: ["role/1"]),
                .subscribe(["level5"], groups: ["role/2"]), .join("role/2", devices: [byToken(1)], leaving: "role/1"),
            ],
            holds: [level: [1], "'level1' in topics": [], "'role/1' in groups": [], "'role/2' in groups": [1]]
        ),
        MembershipTranscript(
            "a sign-out ends own topics as well, but not the master switch",
            [
                .register(1, topics: ["level5", "en"], groups: ["user/1"]), .updateDevice(1, isMuted: true),
                .leave("user/1", devices: [byToken(1)], clearsTopics: true),
            ],
            holds: [level: [], "'en' in topics": [], user: []]
        ),
    ]

    @Test(arguments: transcripts)
    func `changes have the answers and groups of the transcript`(_ transcript: MembershipTranscript) throws {
        try transcript.check()
    }

    /// Devices 1 and 2, one of them twice, and a token that no device has.
    private let twoDevices = [byToken(2), byToken(9), byToken(1), byToken(2)]

    @Test func `a join counts the devices that enter and names the unknown ones`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        var expected = ChangeAnswer.MembershipChange()
        expected.changed = 2
        expected.unknown = [1]
        expected.device = deviceID(2)
        expected.affected = .devices([deviceID(1), deviceID(2)])
        #expect(try registry.apply(.join("user/1", devices: twoDevices)) == .membership(expected))
        expected.changed = 0
        expected.affected = .devices([])
        #expect(try registry.apply(.join("user/1", devices: twoDevices)) == .membership(expected))
    }

    @Test func `a leave names the unknown devices`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1, groups: ["user/1"]))
        var unknown = ChangeAnswer.MembershipChange()
        unknown.unknown = [0]
        #expect(try registry.apply(.leave("user/1", devices: [byToken(9)])) == .membership(unknown))
    }

    @Test func `an update of a group says its devices and whether it changed`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, groups: ["user/1"]), .register(2, groups: ["user/1"])])
        let updates = [
            Change.mute("user/1"), .mute("user/1"), .updateGroup("user/1", isMuted: nil),
            .updateGroup("user/none", isMuted: false),
        ]
        #expect(
            try registry.apply(updates) == [
                .groupUpdated(devices: 2, hasChanged: true), .groupUpdated(devices: 2, hasChanged: false),
                .groupUpdated(devices: 2, hasChanged: false), .groupUpdated(devices: 0, hasChanged: false),
            ])
    }

    @Test func `an announcement without recipients is finished at once`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        let join = Change.join("user/1", devices: [byToken(1)], announcing: #"{"aps":{"alert":"new sign-in"}}"#)
        guard case .membership(let answer) = try registry.apply(join) else {
            Issue.record("refused")
            return
        }
        let sent = try #require(answer.announcement)
        #expect(sent.outbound == nil)
        #expect(try registry.status(of: sent.id, app: game)?.state == .finished)
    }

    /// Each join announces its devices; the answer has the devices that get the message, or nil if there is none.
    @Test func `an announcement is for the devices that were there before`() throws {
        let registry = try scratch.open()
        try registry.apply((1...4).map { Change.register($0) })
        func announced(_ devices: [DeviceReference]) throws -> [UInt64]? {
            let change = Change.join("user/1", devices: devices, announcing: #"{"aps":{"alert":"new sign-in"}}"#)
            guard case .membership(let answer) = try registry.apply(change), let sent = answer.announcement else {
                return nil
            }
            return try registry.nextPage(of: sent.id, from: 0)?.recipients.compactMap(\.device?.rawValue) ?? []
        }
        #expect(try announced([byToken(1)]) == [])
        #expect(try announced([byToken(1)]) == nil)
        #expect(try announced([byToken(2), byToken(3), byToken(1)]) == [1])
        #expect(try announced([byToken(9)]) == nil)
        #expect(try announced([byToken(4)]) == [1, 2, 3])
        #expect(try registry.verify() == [])
    }

    @Test func `an announcement has the sender of the join`() throws {
        let registry = try scratch.open()
        let content = MessageContent(app: game, pushType: .alert, payload: Array("{}".utf8))
        func joining(_ device: DeviceReference, leaving: GroupName? = nil) -> Change {
            let join = JoinRequest(
                app: game, group: "user/1", devices: [device], leaving: leaving, announcement: content)
            return .join(join, sender: "accounts", now: timestamp(1_000))
        }
        try registry.apply([
            .register(1), .register(2), .register(3, groups: ["user/2"]), .join("user/1", devices: [byToken(1)]),
            joining(byToken(2)),
            joining(byToken(3), leaving: "user/2"),
        ])
        #expect(try registry.status(of: messageID(1), app: game)?.sender == "accounts")
        #expect(try registry.status(of: messageID(2), app: game)?.sender == "accounts")
    }
}
