import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Lists of groups, topics, devices and memberships, page by page.
struct SetReaderTests {
    private let scratch = RegistryDirectory()

    /// Device 1 has five topics and the group `user/1`, which has two; device 2 has the topic `ba`.
    private func openListed() throws -> LMDBRegistry {
        let registry = try scratch.open()
        let topics = ["a", "b", "ba", "bb", "c"]
        _ = try registry.apply([
            .register(1, topics: topics, groups: ["user/1"]), .register(2, topics: ["ba"]),
            .subscribe(["b", "c"], groups: ["user/1"]),
        ])
        return registry
    }

    @Test func topicsAreListedPageByPage() throws {
        let registry = try openListed()
        let first = try registry.topics(of: game, prefix: "b", after: "", limit: 2)
        #expect(first == NamedSetPage(next: "ba", rows: [.init(name: "b", devices: 1), .init(name: "ba", devices: 2)]))
        let second = try registry.topics(of: game, prefix: "b", after: "ba", limit: 2)
        #expect(second == NamedSetPage(next: nil, rows: [.init(name: "bb", devices: 1)]))
        #expect(try registry.topics(of: game, prefix: "", after: "b", limit: 1).next == "ba")
    }

    @Test(arguments: [("c", []), ("a", ["b", "ba", "bb"])])
    func topicsOfAPrefixMayBeginAfterAnyName(after: String, names: [String]) throws {
        let page = try openListed().topics(of: game, prefix: "b", after: after, limit: 9)
        #expect(page.rows.map(\.name) == names)
    }

    @Test func topicsOfAGroupAreListedPageByPage() throws {
        let registry = try openListed()
        let ofGroup = try ["", "b"].map { try registry.topics(of: "user/1", app: game, after: $0, limit: 1) }
        #expect(ofGroup[0].next == "b")
        #expect(ofGroup[1].rows.map(\.name) == ["c"])
    }

    @Test func devicesOfATopicAreListedPageByPage() throws {
        let registry = try openListed()
        let page = try registry.devices(in: .topic("ba"), of: game, cursor: 0, limit: 1)
        #expect(page == DeviceIDPage(next: 2, devices: [deviceID(1)]))
        let last = try registry.devices(in: .topic("ba"), of: game, cursor: 2, limit: 1)
        let none = try registry.devices(in: .topic("none"), of: game, cursor: 0, limit: 1)
        #expect([last.devices, none.devices] == [[deviceID(2)], []])
    }

    /// `b<user/1`: the device has topic b through the group user/1. `a<`: it has topic a itself.
    @Test func topicsOfADeviceAreListedWithTheirSourcesPageByPage() throws {
        let registry = try openListed()
        var seen: [String] = []
        var after = ""
        repeat {
            guard let page = try registry.memberships(of: byToken(1), app: game, after: after, limit: 2) else { break }
            seen += page.topics.map { "\($0.topic)<\($0.source?.name ?? "")" }
            after = page.next?.name ?? ""
        } while !after.isEmpty
        #expect(seen == ["a<", "b<", "b<user/1", "ba<", "bb<", "c<", "c<user/1"])
    }

    @Test func thePagesOfManyMembershipsTogetherListEachOnce() throws {
        let registry = try scratch.open()
        // Names whose order is not that of their numbers, held by one to three.
        let names = (0..<200).map { "t\($0 * 7_919 % 211)" }
        let groups = ["user/1", "user/2"]
        _ = try registry.apply([
            .register(1, topics: Array(names[..<60]), groups: groups), .register(2),
            .subscribe(names[40...].filter { $0.hasSuffix("1") }, groups: ["user/1"]),
            .subscribe(Array(names[50..<190]), groups: ["user/2"]),
            .subscribe(Array(names[190...]), devices: [byToken(2)]),
        ])
        let whole = try #require(try registry.memberships(of: byToken(1), app: game, after: "", limit: 4_096))
        let held = 190 + names[190...].count { $0.hasSuffix("1") }
        #expect(whole.next == nil)
        #expect(Set(whole.topics.map(\.topic)).count == held)
        for limit in [1, 3, 50] {
            var (topics, after, pages): ([Memberships.TopicMembership], String, Int) = ([], "", 0)
            repeat {
                let page = try #require(
                    try registry.memberships(of: byToken(1), app: game, after: after, limit: limit))
                #expect(page.groups == whole.groups)
                topics += page.topics
                after = page.next?.name ?? ""
                pages += 1
            } while !after.isEmpty
            #expect(topics == whole.topics)
            #expect(pages <= (whole.topics.count + limit - 1) / limit)
        }
    }

    @Test func explainCountsEachTerm() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1, topics: ["a"]), .register(2, topics: ["a", "b"]), .register(3)])
        let explanation = try registry.explain(Condition(#""a" in topics&&!('b' in topics)"#), app: game)
        let terms: [Explanation.Term] = [
            .init(set: "'a' in topics", devices: 2), .init(set: "'b' in topics", devices: 1),
        ]
        #expect(
            explanation == Explanation(condition: "'a' in topics && !'b' in topics", devices: 1, terms: terms))
        #expect(try registry.explain(.all, app: AppID("com.example.other")!).devices == 0)
    }
}
