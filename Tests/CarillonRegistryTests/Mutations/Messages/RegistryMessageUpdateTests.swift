import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Updates of messages that are being sent, and the list of messages.
struct RegistryMessageUpdateTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    private func updateMessage(_ messageUpdate: MessageUpdate, now: UInt64 = 2_000) -> Change {
        .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: messageUpdate), now: timestamp(now))
    }

    private func events(_ registry: LMDBRegistry, after: UInt64 = 0) throws -> [Event] {
        try registry.events(after: after, limit: 1_000, filter: EventFilter()).events
    }

    // MARK: MessageUpdate

    @Test func updatesOfAMessageSurviveARestart() throws {
        var registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(toAll: .all), now: timestamp(1_000))])
        let answers = try [updateMessage(.pace(5)), updateMessage(.pause)].map { try registry.apply($0) }
        #expect(answers == [.messageUpdated(.waiting, outbound: nil), .messageUpdated(.paused, outbound: nil)])
        #expect(try registry.unfinished() == [])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.status(of: first, app: game)?.state == .paused)
        guard case .messageUpdated(.waiting, let resumed?) = try registry.apply(updateMessage(.resume)) else {
            Issue.record("not resumed")
            return
        }
        #expect(resumed.pace == 5)
        guard case .messageUpdated(.waiting, let cancelled?) = try registry.apply(updateMessage(.cancel)) else {
            Issue.record("not cancelled")
            return
        }
        #expect(cancelled.isCancelled)
        registry.close()
        registry = try scratch.open()
        #expect(try registry.unfinished() == [cancelled])
        let reported = try events(registry).filter { $0.kind == .messageUpdated }
        #expect(reported.map(\.text) == ["paced", "paused", "resumed", "cancelled"])
        #expect(try registry.verify() == [])
    }

    @Test func anUpdateOfAFinishedOrUnknownMessageIsRefused() throws {
        let registry = try scratch.open()
        #expect(try registry.apply(updateMessage(.cancel)) == .refused(.notFound))
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        _ = try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)]))
        #expect(try registry.apply(updateMessage(.cancel)) == .messageUpdated(.finished, outbound: nil))
    }

    @Test func aPausedMessageTakesTheAnswersThatAreOutstanding() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)), updateMessage(.pause),
        ])
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)])) == .recorded(isFinished: true))
        #expect(try registry.verify() == [])
    }

    // MARK: Lists

    @Test func messagesOfAnAppAreListedNewestFirst() throws {
        let registry = try scratch.open()
        let other = AppID("com.example.other")!
        var foreign = Message.sample(to: [byToken(1)])
        foreign.content.app = other
        _ = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
            .accept(foreign, now: timestamp(1_000)),
            .accept(.sample(toAll: .all), now: timestamp(1_001)),
        ])
        let all = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(all.map(\.id.rawValue) == [3, 1])
        #expect(all.map(\.total) == [1, 1])
        let older = try registry.messages(of: game, before: MessageID(rawValue: 3), limit: 9)
        #expect(older.rows.map(\.id.rawValue) == [1])
        #expect(try registry.messages(of: other, before: nil, limit: 9).rows.map(\.state) == [.finished])
    }
}
