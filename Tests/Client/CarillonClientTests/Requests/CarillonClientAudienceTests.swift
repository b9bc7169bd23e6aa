import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))
private let user = GroupName("user/42")!
private let role = GroupName("role/9001")!
private let level = TopicName("level5")!

/// Groups, topics and conditions, as calls and as requests.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientAudienceTests {
    @Test func `a join carries its announcement in all languages`() async throws {
        let announcement = try Announcement(
            PushNotification(alert: .init(title: "New sign-in")), translations: ["de": .init(title: "Neu angemeldet")])
        let answer = JoinAnswer(joined: 1, announcement: MessageID(rawValue: 5), unknown: [1])
        let (request, result) = try await exchange(AnyAnswer(answer, to: JoinRequest.self)) {
            client throws(CarillonError) in
            try await client.join(user, devices: [phone, phone], app: app, announcing: announcement)
        }
        let content = MessageContent(
            app: app,
            pushType: .alert,
            payload: Array(#"{"aps":{"alert":{"title":"New sign-in"}}}"#.utf8),
            bodies: [
                LanguageBody(language: "de", payload: Array(#"{"aps":{"alert":{"title":"Neu angemeldet"}}}"#.utf8))
            ]
        )
        #expect(
            request == AnyRequest(JoinRequest(app: app, group: user, devices: [phone, phone], announcement: content)))
        #expect(result == JoinResult(joined: 1, announcement: MessageID(rawValue: 5), unknown: [1]))
    }

    @Test func `a leave clears topics`() async throws {
        let answer = MembershipChangeAnswer(changed: 1, unknown: [])
        let (request, result) = try await exchange(AnyAnswer(answer, to: LeaveRequest.self)) {
            client throws(CarillonError) in
            try await client.leave(user, devices: [phone], app: app, clearingTopics: true)
        }
        #expect(request == AnyRequest(LeaveRequest(app: app, group: user, devices: [phone], clearsTopics: true)))
        #expect(result == LeaveResult(left: 1, unknown: []))
    }

    @Test func `a switch of groups is one request`() async throws {
        let answer = SwitchGroupAnswer(device: DeviceID(rawValue: 7), changes: .joined, announcement: nil)
        let (request, result) = try await exchange(AnyAnswer(answer, to: SwitchGroupRequest.self)) {
            client throws(CarillonError) in
            try await client.switchGroup(of: phone, from: user, to: role, app: app)
        }
        #expect(request == AnyRequest(SwitchGroupRequest(app: app, device: phone, from: user, to: role)))
        #expect(
            result
                == SwitchGroupResult(device: DeviceID(rawValue: 7), hasLeft: false, hasJoined: true, announcement: nil))
    }

    @Test(arguments: [true, false])
    func `the mute of a group is one request and returns the number of devices`(isMuted: Bool) async throws {
        let (request, devices) = try await exchange(AnyAnswer(3, to: UpdateGroupRequest.self)) {
            client throws(CarillonError) in
            try await client.setMuted(isMuted, group: user, app: app)
        }
        #expect(request == AnyRequest(UpdateGroupRequest(app: app, group: user, isMuted: isMuted)))
        #expect(devices == 3)
    }

    @Test func `subscribe and unsubscribe return changes and unknown devices`() async throws {
        let answer = MembershipChangeAnswer(changed: 2, unknown: [0])
        let subscription = TopicSubscription(app: app, topics: [level], devices: [phone], groups: [user])
        let (one, subscribed) = try await exchange(AnyAnswer(answer, to: SubscribeRequest.self)) {
            client throws(CarillonError) in
            try await client.subscribe(to: [level], devices: [phone], groups: [user], app: app)
        }
        #expect(one == AnyRequest(SubscribeRequest(subscription)))
        let (two, unsubscribed) = try await exchange(AnyAnswer(answer, to: UnsubscribeRequest.self)) {
            client throws(CarillonError) in
            try await client.unsubscribe(from: [level], devices: [phone], groups: [user], app: app)
        }
        #expect(two == AnyRequest(UnsubscribeRequest(subscription)))
        #expect(subscribed == SubscribeResult(changed: 2, unknown: [0]))
        #expect(unsubscribed == subscribed)
    }

    @Test func `a condition is explained`() async throws {
        let condition = try Condition("'level5' in topics && !('user/42' in groups)")
        let explanation = Explanation(
            condition: condition.description, devices: 4, terms: [.init(set: "'level5' in topics", devices: 5)])
        let (request, result) = try await exchange(AnyAnswer(explanation, to: ExplainRequest.self)) {
            client throws(CarillonError) in
            try await client.explain(condition, app: app)
        }
        #expect(request == AnyRequest(ExplainRequest(app: app, condition: condition)))
        #expect(result == explanation)
    }

    @Test func `groups are listed page by page`() async throws {
        let pages = [
            NamedSetPage(next: "role/9001", rows: [.init(name: "role/9001", devices: 2, isMuted: true)]),
            NamedSetPage(next: nil, rows: [.init(name: "user/42", devices: 3)]),
        ]
        let (requests, rows) = try await listing(pages.map { AnyAnswer($0, to: GroupsRequest.self) }) {
            $0.groups(of: app, prefix: "r")
        }
        #expect(
            requests
                == ["", "role/9001"].map { AnyRequest(GroupsRequest(app: app, prefix: "r", after: $0, limit: 1_000)) })
        #expect(
            rows == [
                GroupSummary(group: role, devices: 2, isMuted: true),
                GroupSummary(group: user, devices: 3, isMuted: false),
            ])
    }

    @Test func `topics are listed page by page`() async throws {
        let pages = [
            NamedSetPage(next: "a", rows: []), NamedSetPage(next: nil, rows: [.init(name: "level5", devices: 3)]),
        ]
        let (requests, rows) = try await listing(pages.map { AnyAnswer($0, to: TopicsRequest.self) }) {
            $0.topics(of: app)
        }
        #expect(requests == ["", "a"].map { AnyRequest(TopicsRequest(app: app, after: $0, limit: 1_000)) })
        #expect(rows == [TopicSummary(topic: level, devices: 3)])
    }

    private static let devices = [1, 2, 9].map { DeviceID(rawValue: $0) }
    private static let devicePages = [
        DeviceIDPage(next: 4_096, devices: Array(devices[..<2])), DeviceIDPage(next: 0, devices: [devices[2]]),
    ]

    @Test func `devices of a group are listed page by page`() async throws {
        let answers = Self.devicePages.map { AnyAnswer($0, to: GroupDevicesRequest.self) }
        let (requests, devices) = try await listing(answers) { $0.devices(of: user, app: app) }
        #expect(
            requests
                == [0, 4_096].map { AnyRequest(GroupDevicesRequest(app: app, group: user, cursor: $0, limit: 1_000)) })
        #expect(devices == Self.devices)
    }

    @Test func `devices of a topic are listed page by page`() async throws {
        let answers = Self.devicePages.map { AnyAnswer($0, to: TopicDevicesRequest.self) }
        let (requests, devices) = try await listing(answers) { $0.devices(in: level, app: app) }
        #expect(
            requests
                == [0, 4_096].map { AnyRequest(TopicDevicesRequest(app: app, topic: level, cursor: $0, limit: 1_000)) })
        #expect(devices == Self.devices)
    }

    @Test func `topics of a group are listed page by page`() async throws {
        let pages = [GroupTopicsAnswer(next: "level5", topics: [level]), GroupTopicsAnswer(next: nil, topics: [])]
        let (requests, topics) = try await listing(pages.map { AnyAnswer($0, to: GroupTopicsRequest.self) }) {
            $0.topics(of: user, app: app)
        }
        #expect(
            requests
                == ["", "level5"].map { AnyRequest(GroupTopicsRequest(app: app, group: user, after: $0, limit: 1_000)) }
        )
        #expect(topics == [level])
    }

    @Test func `topics of a device are listed page by page`() async throws {
        let holdings = [user, role].map { Memberships.TopicMembership(topic: level, source: $0) }
        let memberships = [level, nil].enumerated().map { index, next in
            Memberships(
                device: DeviceID(rawValue: 7), isMuted: false, groups: [], topics: [holdings[index]], next: next)
        }
        let (requests, topics) = try await listing(memberships.map { AnyAnswer($0, to: MembershipsRequest.self) }) {
            $0.topics(of: phone, app: app)
        }
        #expect(
            requests
                == ["", "level5"].map {
                    AnyRequest(MembershipsRequest(app: app, device: phone, after: $0, limit: 1_000))
                })
        #expect(topics == holdings)
    }

    @Test func `a text constant is the name of a topic or a group`() {
        #expect(Audience.topic("raids") == .topic(TopicName("raids")!))
        #expect(Audience.group("user/42") == .groups([GroupName("user/42")!]))
        #expect(Audience.device(DeviceID(rawValue: 7)) == .devices([.id(DeviceID(rawValue: 7))]))
    }
}
