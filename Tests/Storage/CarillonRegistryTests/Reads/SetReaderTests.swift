import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Lists of topics, page by page.
struct SetReaderTests {
    private let scratch = RegistryDirectory()

    @Test func `topics are listed page by page`() throws {
        let registry = try scratch.openListed()
        let first = try registry.topics(of: game, prefix: "b", after: "", limit: 2)
        #expect(first == NamedSetPage(next: "ba", rows: [.init(name: "b", devices: 1), .init(name: "ba", devices: 2)]))
        let second = try registry.topics(of: game, prefix: "b", after: "ba", limit: 2)
        #expect(second == NamedSetPage(next: nil, rows: [.init(name: "bb", devices: 1)]))
        #expect(try registry.topics(of: game, prefix: "", after: "b", limit: 1).next == "ba")
    }

    @Test(arguments: [("c", []), ("a", ["b", "ba", "bb"])])
    func `topics of a prefix may begin after any name`(after: String, names: [String]) throws {
        let page = try scratch.openListed().topics(of: game, prefix: "b", after: after, limit: 9)
        #expect(page.rows.map(\.name) == names)
    }

    @Test func `topics of a group are listed page by page`() throws {
        let registry = try scratch.openListed()
        let ofGroup = try ["", "b"].map { try registry.topics(of: "user/1", app: game, after: $0, limit: 1) }
        #expect(ofGroup[0].next == "b")
        #expect(ofGroup[1].rows.map(\.name) == ["c"])
    }
}
