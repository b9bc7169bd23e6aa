import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The limits of the groups and topics of a device, and of the topics that one change adds or removes.
struct MemberFinderLimitTests {
    private let scratch = RegistryDirectory()

    static func registration(_ number: UInt16, groups: [String] = []) -> Change {
        let token = DeviceToken([UInt8(number >> 8), UInt8(number & 0xFF), 7])!
        let address = DeviceAddress(environment: .production, kind: .device, token: token)
        let groups = groups.map { GroupName($0)! }
        return .register(Registration(app: game, address: address, groups: groups), now: timestamp(1_000))
    }

    /// Device 1 and the group `user/1` have as many topics as they may have.
    private func fillTopics(in registry: LMDBRegistry) throws {
        try registry.apply([.register(1), .register(2)])
        for round in 0..<2 {
            let topics = (0..<1_000).map { "t\(round * 1_000 + $0)" }
            try registry.apply(.subscribe(topics, devices: [byToken(1)], groups: ["user/1"]))
        }
    }

    /// Applies a change of memberships, and returns how many of them have changed.
    private func changed(_ change: Change, in registry: LMDBRegistry) throws -> UInt32? {
        guard case .membership(let answer) = try registry.apply(change) else { return nil }
        return answer.changed
    }

    @Test func `a change with one topic too many is refused as a whole`() throws {
        let registry = try scratch.open()
        try fillTopics(in: registry)
        let refused = ChangeAnswer.refused(.tooMany(.topics))
        let more = try [
            Change.subscribe(["more"], devices: [byToken(2), byToken(1)]),
            .subscribe(["more"], groups: ["user/2", "user/1"]),
            .register(1, topics: ["more"], now: 2_000),
        ].map { try registry.apply($0) }
        #expect(more == [refused, refused, refused])
        #expect(try registry.topics(of: game, prefix: "more", after: "", limit: 10).rows == [])
        #expect(try registry.device(byToken(1), of: game)?.registeredAt == timestamp(1_000))
        #expect(try registry.verify() == [])
    }

    @Test func `changes without a new topic are accepted at the limit`() throws {
        let registry = try scratch.open()
        try fillTopics(in: registry)
        let answers = try [
            Change.register(1, topics: ["t7"], now: 2_000), .updateDevice(1, isMuted: true), .mute("user/1"),
        ]
        .map {
            try registry.apply($0)
        }
        #expect(
            answers == [
                .registered(deviceID(1), .refreshed, ended: nil, changesAudiences: true), .updated(deviceID(1)),
                .groupUpdated(devices: 0, hasChanged: true),
            ])
    }

    @Test func `a join beyond the limit is refused unless the device leaves a group`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        for number in 0..<1_000 { try registry.apply([.join("g\(number)", devices: [byToken(2)])]) }
        let tooManyGroups = ChangeAnswer.refused(.tooMany(.groups))
        let joins = try [Change.join("more", devices: [byToken(2)]), .register(2, groups: ["more"])].map {
            try registry.apply($0)
        }
        #expect(joins == [tooManyGroups, tooManyGroups])
        guard case .membership(let answer) = try registry.apply(.join("more", devices: [byToken(2)], leaving: "g7"))
        else {
            Issue.record("refused")
            return
        }
        #expect(answer.left == 1)
        #expect(answer.changed == 1)
    }

    @Test func `a join or leave of too many topics of devices is refused`() throws {
        let registry = try scratch.open()
        let numbers = (1...51).map { UInt8($0) }
        try registry.apply(numbers.map { Change.register($0) })
        for round in 0..<2 {
            let topics = (0..<1_000).map { "t\(round * 1_000 + $0)" }
            try registry.apply(.subscribe(topics, groups: ["large"]))
        }
        func changed(_ change: Change) throws -> UInt32? { try self.changed(change, in: registry) }
        let tokens = numbers.map { byToken($0) }
        #expect(try registry.apply(.join("large", devices: tokens)) == .refused(.tooMany(.topicsOfDevices)))
        #expect(
            try [
                changed(.join("large", devices: Array(tokens[..<50]))), changed(.join("large", devices: [tokens[50]])),
            ] == [50, 1])
        let all = try [Change.join("other", devices: tokens, leaving: "large"), .leave("large", devices: tokens)].map {
            try registry.apply($0)
        }
        #expect(all == [.refused(.tooMany(.topicsOfDevices)), .refused(.tooMany(.topicsOfDevices))])
        #expect(try changed(.leave("large", devices: Array(tokens[..<50]))) == 50)
        #expect(try registry.verify() == [])
    }

    @Test func `a subscription of too many topics of groups is refused`() throws {
        let registry = try scratch.open()
        let numbers = (1...51).map { UInt8($0) }
        try registry.apply(numbers.map { Change.register($0) })
        let tokens = numbers.map { byToken($0) }
        let groups = numbers.map { "g\($0)" }
        for (group, token) in zip(groups, tokens) { try registry.apply(.join(group, devices: [token])) }
        let topics = (0..<1_961).map { "x\($0)" }
        #expect(try registry.apply(.subscribe(topics, groups: groups)) == .refused(.tooMany(.topicsOfGroups)))
        #expect(try changed(.subscribe(topics, groups: Array(groups[1...])), in: registry) == 98_050)
        #expect(try registry.apply(.subscribe(["x0", "x1"], groups: ["g1"])) != .refused(.tooMany(.topicsOfGroups)))
        let unsubscribed = try registry.apply(.unsubscribe(topics, groups: groups))
        #expect(unsubscribed == .refused(.tooMany(.topicsOfGroups)))
        #expect(try registry.verify() == [])
    }

    /// Far from the limit memberships are not read; the number of topics of the app decides.
    @Test func `the limit is kept within a batch`() throws {
        let registry = try scratch.open()
        let topics = (0..<1_999).map { "t\($0)" }
        let changes = [
            Change.register(1), .subscribe(Array(topics[..<1_000]), devices: [byToken(1)]),
            .subscribe(Array(topics[1_000...]), devices: [byToken(1)]), .subscribe(["a"], devices: [byToken(1)]),
            .subscribe(["b"], devices: [byToken(1)]), .subscribe(["a"], devices: [byToken(1)]),
        ]
        let refused = ChangeAnswer.refused(.tooMany(.topics))
        func changed(_ answer: ChangeAnswer) -> UInt32? {
            guard case .membership(let answer) = answer else { return nil }
            return answer.changed
        }
        let answers = try registry.apply(changes)
        #expect(answers[1...3].map(changed) == [1_000, 999, 1])
        #expect(answers[4] == refused)
        #expect(changed(answers[5]) == 0)
        // A topic that has gone makes room for another.
        let more = try registry.apply([
            .unsubscribe(["a", "t0"], devices: [byToken(1)]), .subscribe(["b"], devices: [byToken(1)]),
        ])
        #expect(more.map(changed) == [2, 1])
        #expect(try registry.apply([.subscribe(["c"], devices: [byToken(1)])]).map(changed) == [1])
        #expect(try registry.apply(.subscribe(["d"], devices: [byToken(1)])) == refused)
        #expect(try registry.verify() == [])
    }
}
