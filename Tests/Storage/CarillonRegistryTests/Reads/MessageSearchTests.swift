import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The lists of the messages of an app.
struct MessageSearchTests {
    private let scratch = RegistryDirectory()

    @Test func `messages of an app are listed newest first`() throws {
        let registry = try scratch.open()
        let other = AppID("com.example.other")!
        var foreign = Message.sample(to: [byToken(1)])
        foreign.content.app = other
        try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .accept(foreign, now: timestamp(1_000)),
            .accept(.sample(to: .all), now: timestamp(1_001)),
        ])
        let all = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(all.map(\.id.rawValue) == [3, 1])
        #expect(all.map(\.total) == [1, 1])
        let older = try registry.messages(of: game, before: messageID(3), limit: 9)
        #expect(older.rows.map(\.id.rawValue) == [1])
        #expect(try registry.messages(of: other, before: nil, limit: 9).rows.map(\.state) == [.finished])
    }

    @Test func `a row counts the devices that a message reached and those that it did not`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .register(2),
            .accept(.sample(to: [byToken(1), byToken(2), byToken(9)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(1, .delivered), (2, .gaveUp)]),
        ])
        let row = try #require(try registry.messages(of: game, before: nil, limit: 9).rows.first)
        #expect(row.state == .finished)
        #expect(row.total == 3)
        #expect(row.ended == 3)
        #expect(row.delivered == 1)
        #expect(row.failed == 2)
    }

    // MARK: Filters

    private func ids(_ filter: MessageFilter, in registry: LMDBRegistry) throws -> [UInt64] {
        try registry.messages(of: game, before: nil, limit: 100, filter: filter).rows.map(\.id.rawValue)
    }

    @Test func `filters find what meets all of them`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.labelled("Raid at 21:00"), sender: "live-ops", now: timestamp(1_000)),
            .accept(.labelled("Raid at 22:00"), sender: "shop", now: timestamp(1_000)),
            .accept(.labelled("Sale"), sender: "shop", now: timestamp(1_000)),
            .accept(.labelled(nil), sender: "shop", now: timestamp(1_000)),
            .accept(.labelled(nil), now: timestamp(1_000)),
            .recordOutcomes(of: 2, [(0, .delivered)]), .recordOutcomes(of: 4, [(0, .delivered)]),
        ])
        #expect(try ids(MessageFilter(), in: registry) == [5, 4, 3, 2, 1])
        #expect(try ids(MessageFilter(state: .finished), in: registry) == [4, 2])
        #expect(try ids(MessageFilter(sender: "shop"), in: registry) == [4, 3, 2])
        #expect(try ids(MessageFilter(sender: "sho"), in: registry) == [])
        #expect(try ids(MessageFilter(labelPrefix: "Raid at"), in: registry) == [2, 1])
        #expect(try ids(MessageFilter(labelPrefix: "aid"), in: registry) == [])
        #expect(try ids(MessageFilter(state: .finished, sender: "shop", labelPrefix: "Raid"), in: registry) == [2])
    }

    @Test func `pages of a filter cover every message once`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        for number in 0..<20 {
            let sender = number.isMultiple(of: 3) ? "shop" : "live-ops"
            try registry.apply(.accept(.labelled(nil), sender: sender, now: timestamp(1_000)))
        }
        var found: [UInt64] = []
        var before: MessageID?
        repeat {
            let page = try registry.messages(
                of: game, before: before, limit: 2, filter: MessageFilter(sender: "shop"))
            #expect(page.rows.count <= 2)
            found += page.rows.map(\.id.rawValue)
            before = page.next
        } while before != nil
        #expect(found == [19, 16, 13, 10, 7, 4, 1])
    }

    /// A page looks at 4,096 messages, however few of them it finds.
    @Test func `a page without rows leads to the next`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.labelled("Raid"), sender: "live-ops", now: timestamp(1_000))])
        for _ in 0..<5 {
            try registry.apply((0..<1_000).map { _ in Change.accept(.labelled(nil), now: timestamp(1_000)) })
        }
        let filter = MessageFilter(labelPrefix: "Raid")
        let first = try registry.messages(of: game, before: nil, limit: 10, filter: filter)
        #expect(first == MessageSummaryPage(next: messageID(5_001 - 4_095), rows: []))
        let second = try registry.messages(of: game, before: first.next, limit: 10, filter: filter)
        #expect(second.rows.map(\.id.rawValue) == [1])
        #expect(second.next == nil)
    }
}
