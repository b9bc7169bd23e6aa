import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The topics of a device with their sources, page by page.
struct MembershipReaderTests {
    private let scratch = RegistryDirectory()

    /// `b<user/1`: the device has topic b through the group user/1. `a<`: it has topic a itself.
    @Test func `topics of a device are listed with their sources page by page`() throws {
        let registry = try scratch.openListed()
        var seen: [String] = []
        var after = ""
        repeat {
            guard let page = try registry.memberships(of: byToken(1), app: game, after: after, limit: 2) else { break }
            seen += page.topics.map { "\($0.topic)<\($0.source?.name ?? "")" }
            after = page.next?.name ?? ""
        } while !after.isEmpty
        #expect(seen == ["a<", "b<", "b<user/1", "ba<", "bb<", "c<", "c<user/1"])
    }

    @Test func `the pages of many memberships together list each once`() throws {
        let registry = try scratch.open()
        // Names whose order is not that of their numbers, held by one to three.
        let names = (0..<200).map { "t\($0 * 7_919 % 211)" }
        let groups = ["user/1", "user/2"]
        try registry.apply([
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
}
