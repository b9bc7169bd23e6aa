import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// UPDATE_MESSAGE (Protocol 10.6): cancel, pause, resume and pace of an accepted message.
struct MessageUpdateApplierTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    private func updateMessage(_ messageUpdate: MessageUpdate, now: UInt64 = 2_000) -> Change {
        .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: messageUpdate), now: timestamp(now))
    }

    private func events(_ registry: LMDBRegistry, after: UInt64 = 0) throws -> [Event] {
        try registry.events(after: after, limit: 1_000, filter: EventFilter()).events
    }

    @Test func `updates of a message survive a restart`() throws {
        var registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: .all), now: timestamp(1_000))])
        let answers = try [updateMessage(.pace(5)), updateMessage(.pause)].map { try registry.apply($0) }
        #expect(answers == [.messageUpdated(.waiting, outbound: nil), .messageUpdated(.paused, outbound: nil)])
        #expect(try registry.unfinished() == [])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.status(of: first, app: game)?.state == .paused)
        let resumption = try registry.apply(updateMessage(.resume))
        let resumed = try #require(try registry.unfinished().first)
        #expect(resumption == .messageUpdated(.waiting, outbound: resumed))
        #expect(resumed.pace == 5)
        let cancellation = try registry.apply(updateMessage(.cancel))
        let cancelled = try #require(try registry.unfinished().first)
        #expect(cancellation == .messageUpdated(.waiting, outbound: cancelled))
        #expect(cancelled.isCancelled)
        registry.close()
        registry = try scratch.open()
        #expect(try registry.unfinished() == [cancelled])
        let reported = try events(registry).filter { $0.kind == .messageUpdated }
        #expect(reported.map(\.text) == ["paced", "paused", "resumed", "cancelled"])
        #expect(try registry.verify() == [])
    }

    @Test func `an update of an unknown message is refused`() throws {
        let registry = try scratch.open()
        #expect(try registry.apply(updateMessage(.cancel)) == .refused(.notFound))
    }

    @Test func `an update of a finished message is answered and changes nothing`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)]))
        #expect(try registry.apply(updateMessage(.cancel)) == .messageUpdated(.finished, outbound: nil))
        #expect(try events(registry).filter { $0.kind == .messageUpdated } == [])
    }

    @Test func `a paused message takes the answers that are outstanding`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)), updateMessage(.pause),
        ])
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)])) == .outcomesRecorded(isFinished: true))
        #expect(try registry.verify() == [])
    }
}
