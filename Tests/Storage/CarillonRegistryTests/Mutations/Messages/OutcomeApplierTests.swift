import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Records of outcomes: what they change of a message, and its end (Protocol 10.4).
struct OutcomeApplierTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    @Test func `the first outcome stays and the last one finishes`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        try registry.apply(.accept(.sample(to: [byToken(1), byToken(2), byToken(3)]), now: timestamp(1_000)))
        #expect(try registry.status(of: first, app: game)?.state == .waiting)
        #expect(
            try registry.apply(.recordOutcomes(of: 1, [(1, .delivered), (1, .gaveUp)]))
                == .outcomesRecorded(isFinished: false))
        #expect(try registry.status(of: first, app: game)?.state == .sending)
        let answers = try [
            Change.recordOutcomes(of: 1, [(0, .delivered), (1, .expired)]),
            .recordOutcomes(of: 1, [(2, .badToken)], now: 3_000),
            .recordOutcomes(of: 1, [(2, .delivered)]),
        ].map { try registry.apply($0) }
        #expect(answers == [false, true, false].map { ChangeAnswer.outcomesRecorded(isFinished: $0) })
        let status = MessageStatus(
            state: .finished,
            acceptedAt: timestamp(1_000),
            finishedAt: timestamp(3_000),
            total: 3,
            outcomes: [.delivered: 1, .unregistered: 1, .badToken: 1]
        )
        #expect(try registry.status(of: first, app: game) == status)
        #expect(try registry.status(of: first, app: AppID("com.example.other")!) == nil)
        #expect(try registry.unfinished() == [])
        #expect(try registry.verify() == [])
    }

    @Test func `outcomes of an unknown message or recipient are refused as a whole`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        #expect(try registry.apply(.recordOutcomes(of: 2, [(0, .delivered)])) == .refused(.notFound))
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered), (1, .delivered)])) == .refused(.notFound))
        #expect(
            try registry.outcomes(of: messageID(1), app: game, cursor: 0, limit: 10)?.recipients.map(
                \.outcome)
                == [.pending])
    }

    @Test func `an outcome must be of an addressed recipient`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        try registry.accept(.sample(to: .all, excluding: byToken(2)))
        func recordRecipients(_ offsets: [UInt16]?, position: UInt16, page: UInt32 = 0) throws -> ChangeAnswer {
            let record = OutcomeRecord(
                message: first,
                page: page,
                endedRecipients: [.init(position: position, outcome: .delivered)],
                addressed: offsets.flatMap { ChunkBits(ascending: $0) }.map { AddressedChunk($0) }
            )
            return try registry.apply(.recordOutcomes(record, now: timestamp(2_000)))
        }
        let refused = ChangeAnswer.refused(.notFound)
        let answers = try [
            recordRecipients(nil, position: 1), recordRecipients([], position: 1), recordRecipients([1], position: 2),
            recordRecipients([1, 2], position: 1),
            recordRecipients([1, 3], position: 1), recordRecipients([1], position: 1, page: 1),
        ]
        #expect(answers == Array(repeating: refused, count: 6))
        #expect(try recordRecipients([1], position: 1) == .outcomesRecorded(isFinished: false))
        #expect(try registry.apply(.finish(first, now: timestamp(3_000))) == .messageChecked(isFinished: true))
        #expect(try recordRecipients([1], position: 1, page: 1) == refused)
        #expect(try registry.verify() == [])
    }

    @Test func `delays survive a restart and end with the outcome`() throws {
        let other = try scratch.open()
        try other.apply([.register(1), .register(2)])
        try other.accept(.sample(to: .all))
        let page = try #require(try other.nextPage(of: first, from: 0))
        let delays = [OutcomeRecord.Delay(position: 2, attempts: 3, dueAt: timestamp(9_000))]
        let record = OutcomeRecord(
            message: first, page: 0, endedRecipients: [], delays: delays, addressed: page.addressed)
        try other.apply(.recordOutcomes(record, now: timestamp(2_000)))
        other.close()

        let registry = try scratch.open()
        let again = try #require(try registry.nextPage(of: first, from: 0))
        #expect(again.recipients.map(\.attempts) == [0, 3])
        #expect(again.recipients.map(\.dueAt) == [.zero, timestamp(9_000)])
        #expect(try registry.verify() == [])
        try registry.end(again)
        #expect(try registry.verify() == [])
    }

    @Test func `each failed delivery and the end of the message are events`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1), byToken(2)]), now: timestamp(1_000)),
        ])
        try registry.apply(.recordOutcomes(of: 1, [(1, .gaveUp)]))
        let reported = try registry.events(after: 0, limit: 1_000, filter: EventFilter()).events
        #expect(reported.map(\.kind) == [.deliveryFailed, .deliveryFailed, .messageFinished])
        #expect(reported.map(\.device) == [nil, deviceID(1), nil])
        #expect(reported.map(\.outcome) == [.unregistered, .gaveUp, nil])
        #expect(reported.last?.count == 2)
        #expect(reported.map(\.app) == [game, game, game])
        #expect(reported.map(\.message) == [first, first, first])
    }

    @Test func `more than 64 failures are one event for each outcome`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<66)
        try registry.accept(.sample(to: .all))
        try registry.endAllPages(of: first, as: .gaveUp)
        let reported = try registry.events(after: 0, limit: 1_000, filter: EventFilter()).events
        #expect(reported.filter { $0.kind == .deliveryFailed }.map(\.count) == [65])
    }
}
