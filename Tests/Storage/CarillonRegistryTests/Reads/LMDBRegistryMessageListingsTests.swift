import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The lists of the messages of an app, and of the recipients of a message with their outcomes.
struct LMDBRegistryMessageListingsTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    @Test func messagesOfAnAppAreListedNewestFirst() throws {
        let registry = try scratch.open()
        let other = AppID("com.example.other")!
        var foreign = Message.sample(to: [byToken(1)])
        foreign.content.app = other
        _ = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .accept(foreign, now: timestamp(1_000)),
            .accept(.sample(to: .all), now: timestamp(1_001)),
        ])
        let all = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(all.map(\.id.rawValue) == [3, 1])
        #expect(all.map(\.total) == [1, 1])
        let older = try registry.messages(of: game, before: MessageID(rawValue: 3), limit: 9)
        #expect(older.rows.map(\.id.rawValue) == [1])
        #expect(try registry.messages(of: other, before: nil, limit: 9).rows.map(\.state) == [.finished])
    }

    @Test func theRecipientsOfAMessageAreListedPageByPage() throws {
        let registry = try scratch.open()
        _ = try registry.apply((0..<5).map { Change.register($0) })
        _ = try registry.accept(.sample(to: (1...10_000).map { .id(deviceID($0)) }))
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try #require(try registry.outcomes(of: first, app: game, cursor: cursor, limit: 999))
            seen += page.recipients.compactMap(\.device?.rawValue)
            cursor = page.next
        } while cursor != 0
        #expect(seen == Array(1...10_000))
    }

    @Test func noRecipientFollowsTheLastPossibleCursor() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        #expect(try registry.outcomes(of: first, app: game, cursor: .max, limit: 1)?.recipients == [])
    }
}
