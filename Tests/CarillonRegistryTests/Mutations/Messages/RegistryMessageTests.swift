import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// SEND, the outbox, message status and retention, by the rows that they leave (Protocol 10).
struct RegistryMessageTests {
    private let scratch = RegistryDirectory()

    private func accepted(_ number: UInt64, total: UInt32, ended: UInt32, duplicate: Bool = false) -> Acceptance {
        Acceptance(id: MessageID(rawValue: number), isDuplicate: duplicate, total: total, ended: ended)
    }

    private func accept(_ message: Message, in registry: LMDBRegistry, now: UInt64 = 1_000) throws -> Acceptance? {
        guard case .accepted(let acceptance, _) = try registry.apply(.accept(message, now: timestamp(now))) else {
            return nil
        }
        return acceptance
    }

    private func outcomes(of number: UInt64 = 1, in registry: LMDBRegistry) throws -> [RecipientOutcome]? {
        try registry.outcomes(of: MessageID(rawValue: number), app: game, cursor: 0, limit: 1_000)?.recipients
    }

    @Test func everyRecipientCountsOnceAndThoseThatCannotBeReachedEndAtOnce() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2), .register(3, kind: .voip), .register(4)])
        _ = try registry.apply(.accept(.sample(to: [byToken(4)]), now: timestamp(1_000)))
        _ = try registry.apply(.recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_000))

        let devices: [DeviceReference] = [
            byToken(2), .id(deviceID(1)), byToken(1), byToken(9), byToken(9), byToken(8), .id(deviceID(77)),
            .id(deviceID(77)), .id(deviceID(3)),
            byToken(4),
        ]
        #expect(try accept(.sample(to: devices), in: registry) == accepted(2, total: 7, ended: 5))
        #expect(
            try outcomes(of: 2, in: registry) == [
                RecipientOutcome(device: nil, outcome: .unregistered),
                RecipientOutcome(device: nil, outcome: .unregistered),
                RecipientOutcome(device: deviceID(1), outcome: .pending),
                RecipientOutcome(device: deviceID(2), outcome: .pending),
                RecipientOutcome(device: deviceID(3), outcome: .wrongKind),
                RecipientOutcome(device: deviceID(4), outcome: .quarantined),
                RecipientOutcome(device: deviceID(77), outcome: .unregistered),
            ]
        )
        #expect(try registry.verify() == [])
    }

    @Test func aMessageSeesTheChangesBeforeItInItsSubmission() throws {
        let registry = try scratch.open()
        let answers = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)), .unregister(1),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        guard case .accepted(let first, let outbound) = answers[1], case .accepted(let second, let none) = answers[3]
        else {
            Issue.record("not accepted: \(answers)")
            return
        }
        #expect(first == accepted(1, total: 1, ended: 0))
        #expect(second == accepted(2, total: 1, ended: 1))
        #expect(outbound == (try registry.unfinished().first))
        #expect(none == nil)
        #expect(try registry.status(of: MessageID(rawValue: 2), app: game)?.state == .finished)
    }

    @Test func theStoredEntryIsTheAcceptedOne() throws {
        let registry = try scratch.open()
        let sent = Message(
            idempotencyKey: UUIDBytes(high: 1, low: 2),
            content: MessageContent(
                app: game,
                pushType: .alert,
                priority: .powerAware,
                expiration: .at(seconds: 77),
                collapseID: "score",
                payload: Array("{}".utf8)
            ),
            audience: .devices([byToken(1)]),
            notAfter: timestamp(5_000),
            lane: .bulk
        )
        let answers = try registry.apply([.register(1), .accept(sent, now: timestamp(1_000))])
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1),
            content: sent.content,
            sendableSince: timestamp(1_000),
            notAfter: timestamp(5_000),
            lane: .bulk
        )
        #expect(answers[1] == .accepted(accepted(1, total: 1, ended: 0), outbound: outbound))
        #expect(try registry.outboxQueues() == [outbound.queue])
        #expect(try registry.unfinishedMessages(in: outbound.queue, after: nil, limit: 10).messages == [outbound])
    }

    @Test func aPageOfTheOutboxSaysWhetherMoreMessagesFollow() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        let queue = try #require(try registry.outboxQueues().first)
        let outbound = try #require(try registry.unfinishedMessages(in: queue, after: nil, limit: 10).messages.first)
        #expect(try registry.unfinishedMessages(in: queue, after: outbound.id, limit: 10) == OutboxPage(isEnd: true))
        #expect(try registry.unfinishedMessages(in: queue, after: nil, limit: 0) == OutboxPage(isEnd: false))
        let other = OutboxQueue(lane: queue.lane == .bulk ? .interactive : .bulk, app: game)
        #expect(try registry.unfinishedMessages(in: other, after: nil, limit: 10) == OutboxPage(isEnd: true))
    }

    @Test func aKeyGivesTheFirstAnswerAgainAndRefusesAnotherBody() throws {
        let registry = try scratch.open { $0.settings?.retention.idempotencyMilliseconds = 100 }
        _ = try registry.apply(.register(1))
        let sent = Message.sample(to: [byToken(1), byToken(9)], key: 7)
        #expect(try accept(sent, in: registry, now: 1_000) == accepted(1, total: 2, ended: 1))
        #expect(try accept(sent, in: registry, now: 1_100) == accepted(1, total: 2, ended: 1, duplicate: true))
        let others = [
            Message.sample(to: [byToken(1), byToken(9)], key: 7, payload: #"{"aps":{"alert":"Hello"}}"#),
            .sample(to: [byToken(9), byToken(1)], key: 7), .sample(to: [byToken(1)], key: 7),
        ]
        for other in others {
            #expect(try registry.apply(.accept(other, now: timestamp(1_100))) == .refused(.idempotencyConflict))
        }
        #expect(try accept(others[0], in: registry, now: 1_101) == accepted(2, total: 2, ended: 1))
        #expect(try accept(.sample(to: [byToken(1)]), in: registry) == accepted(3, total: 1, ended: 0))
        #expect(try accept(.sample(to: [byToken(1)]), in: registry) == accepted(4, total: 1, ended: 0))
        #expect(try registry.verify() == [])
    }

    @Test func pendingRecipientsHaveTheTokensOfTheMoment() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2), .register(3)])
        _ = try registry.apply(
            .accept(.sample(to: [byToken(1), byToken(2), byToken(3), byToken(9)]), now: timestamp(1_000)))
        _ = try registry.apply([.register(4, replaces: 1), .unregister(2), .recordOutcomes(of: 1, [(3, .delivered)])])
        let page = try #require(try registry.pendingRecipients(of: MessageID(rawValue: 1), page: 0))
        #expect(page.recipients.map(\.position) == [1, 2])
        #expect(page.recipients.map(\.device) == [deviceID(1), deviceID(2)])
        #expect(page.recipients.map(\.ending) == [nil, .unregistered])
        #expect(page.withToken(at: 0) { Array($0) } == address(4).token.bytes)
        #expect(page.withToken(at: 1) { Array($0) } == [])
        #expect(try registry.pendingRecipients(of: MessageID(rawValue: 1), page: 1) == nil)
        #expect(try registry.pendingRecipients(of: MessageID(rawValue: 2), page: 0) == nil)
    }

    @Test func aLargeAudienceIsSeveralPages() throws {
        let registry = try scratch.open()
        let devices = (1...10_000).map { DeviceReference.id(deviceID($0)) }
        _ = try registry.apply((0..<5).map { Change.register($0) })
        #expect(try accept(.sample(to: devices), in: registry) == accepted(1, total: 10_000, ended: 9_995))
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try #require(
                try registry.outcomes(of: MessageID(rawValue: 1), app: game, cursor: cursor, limit: 999)
            )
            seen += page.recipients.compactMap(\.device?.rawValue)
            cursor = page.next
        } while cursor != 0
        #expect(seen == Array(1...10_000))
        #expect(try registry.pendingRecipients(of: MessageID(rawValue: 1), page: 0)?.recipients.count == 5)
        #expect(try registry.pendingRecipients(of: MessageID(rawValue: 1), page: 2)?.recipients.count == 0)
        #expect(try registry.outcomes(of: MessageID(rawValue: 1), app: game, cursor: .max, limit: 1)?.recipients == [])
        #expect(try registry.verify() == [])
    }

    @Test func retentionRemovesOldRowsInBoundedSteps() throws {
        let registry = try scratch.open {
            $0.settings?.retention.messageMilliseconds = 100
            $0.settings?.retention.tombstoneMilliseconds = 200
            $0.settings?.retention.idempotencyMilliseconds = 50
            $0.settings?.maximumSweptRows = 4
        }
        _ = try registry.apply([.register(1), .unregister(1, now: 1_000), .unregister(2, now: 1_000), .register(3)])
        _ = try registry.apply([
            .accept(.sample(to: [byToken(1)], key: 1), now: timestamp(1_000)),
            .accept(.sample(to: [byToken(3)]), now: timestamp(1_000)),
        ])
        #expect(try !registry.sweep(now: timestamp(1_050)))
        #expect(
            try registry.apply(.accept(.sample(to: [], key: 1), now: timestamp(1_050)))
                == .refused(.idempotencyConflict)
        )
        #expect(try (registry.sweep(now: timestamp(1_101)), registry.verify()) == (true, []))
        while try registry.sweep(now: timestamp(1_101)) { #expect(try registry.verify() == []) }
        let states = try ([1, 2] as [UInt64]).map { try registry.status(of: MessageID(rawValue: $0), app: game)?.state }
        #expect(states == [nil, .waiting])
        #expect(try registry.apply(.register(1, seenAt: 1_000, now: 1_200)) == .refused(.stale))
        while try registry.sweep(now: timestamp(1_201)) {}
        #expect(try registry.verify() == [])
        #expect(
            try registry.apply(.register(1, seenAt: 500, now: 1_201)) == .registered(deviceID(3), .created, ended: nil))
    }
}
