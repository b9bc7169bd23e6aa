import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

extension MessageFilter {
    /// Filters of each kind, and several at once.
    static let samples = [
        MessageFilter(), MessageFilter(state: .finished), MessageFilter(state: .scheduled),
        MessageFilter(sender: "shop"), MessageFilter(labelPrefix: "Raid"), MessageFilter(labelPrefix: "公"),
        MessageFilter(state: .finished, sender: "live-ops", labelPrefix: "Raid at"), MessageFilter(sender: "operator"),
    ]
}

/// Labels, senders and traces of messages: where they are stored, the lists that filter by them, and their end.
struct MessageMetadataTableTests {
    private let scratch = RegistryDirectory()

    private func labelled(_ label: String?, key: UInt64 = 0, to devices: [DeviceReference] = [byToken(1)]) -> Message {
        var message = Message.sample(to: devices, key: key)
        message.label = label
        return message
    }

    private func end(_ registry: LMDBRegistry) throws {
        #expect(try registry.verify() == [])
        registry.close()
    }

    private func status(_ number: UInt64, in registry: LMDBRegistry) throws -> MessageStatus {
        try #require(try registry.status(of: MessageID(rawValue: number), app: game))
    }

    private func ids(_ filter: MessageFilter, in registry: LMDBRegistry) throws -> [UInt64] {
        try registry.messages(of: game, before: nil, limit: 100, filter: filter).rows.map(\.id.rawValue)
    }

    @Test func aMessageHasItsLabelAndItsSender() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(labelled("Raid at 21:00"), sender: "live-ops", now: timestamp(1_000)),
            .accept(labelled(nil), sender: "shop", now: timestamp(1_000)),
            .accept(labelled(nil), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .delivered)]),
        ])
        let found = try [status(1, in: registry), status(2, in: registry), status(3, in: registry)]
        #expect(found.map(\.label) == ["Raid at 21:00", nil, nil])
        #expect(found.map(\.sender) == ["live-ops", "shop", nil])
        let rows = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(rows.map(\.label) == [nil, nil, "Raid at 21:00"])
        #expect(rows.map(\.sender) == [nil, "shop", "live-ops"])
        #expect(rows.map(\.delivered) == [0, 0, 1])
        #expect(rows.map(\.failed) == [0, 0, 0])
        try end(registry)
    }

    @Test func aMessageHasItsTraceAndSoHaveItsEvents() throws {
        let trace = try #require(TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        var traced = labelled(nil, key: 7)
        traced.traceParent = trace
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(traced, sender: "live-ops", now: timestamp(1_000)),
            .accept(labelled("Raid"), now: timestamp(1_000)), .recordOutcomes(of: 1, [(0, .gaveUp)]),
            .recordOutcomes(of: 2, [(0, .delivered)]),
        ])
        #expect(try status(1, in: registry).traceParent == trace)
        #expect(try status(1, in: registry).sender == "live-ops")
        #expect(try status(2, in: registry).traceParent == nil)
        let events = try registry.events(after: 0, limit: 100, filter: EventFilter()).events
        #expect(events.filter { $0.message == messageID(1) }.map(\.traceParent) == [trace, trace])
        #expect(events.filter { $0.message == messageID(2) }.map(\.traceParent) == [nil])
        try end(registry)
    }

    @Test func aKeyIsNotRefusedForAnotherTrace() throws {
        let registry = try scratch.open()
        _ = try registry.apply(.accept(labelled(nil, key: 7), now: timestamp(1_000)))
        var again = labelled(nil, key: 7)
        again.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        guard case .accepted(let answer, _) = try registry.apply(.accept(again, now: timestamp(2_000))) else {
            Issue.record("not accepted")
            return
        }
        #expect(answer.isDuplicate)
        #expect(answer.id == MessageID(rawValue: 1))
    }

    @Test func aMessageThatReachedOnlySomeSaysHowManyItMissed() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .register(2),
            .accept(labelled(nil, to: [byToken(1), byToken(2), byToken(9)]), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(1, .delivered), (2, .gaveUp)]),
        ])
        let row = try #require(try registry.messages(of: game, before: nil, limit: 9).rows.first)
        #expect(row.state == .finished)
        #expect(row.total == 3)
        #expect(row.ended == 3)
        #expect(row.delivered == 1)
        #expect(row.failed == 2)
    }

    @Test func aResentMessageHasTheLabelOfTheOldOneAndTheSenderOfTheResend() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .gaveUp)]),
            .resend(ResendRequest(app: game, id: MessageID(rawValue: 1)), sender: "operator", now: timestamp(3_000)),
        ])
        #expect(try status(2, in: registry).label == "Raid")
        #expect(try status(2, in: registry).sender == "operator")
        #expect(try status(1, in: registry).sender == "live-ops")
    }

    @Test func anAnnouncementHasTheSenderOfTheJoin() throws {
        let registry = try scratch.open()
        let content = MessageContent(app: game, pushType: .alert, payload: Array("{}".utf8))
        func joining(_ device: DeviceReference, leaving: GroupName? = nil) -> Change {
            let join = JoinRequest(
                app: game, group: "user/1", devices: [device], leaving: leaving, announcement: content)
            return .join(join, sender: "accounts", now: timestamp(1_000))
        }
        _ = try registry.apply([
            .register(1), .register(2), .register(3, groups: ["user/2"]), .join("user/1", devices: [byToken(1)]),
            joining(byToken(2)),
            joining(byToken(3), leaving: "user/2"),
        ])
        #expect(try status(1, in: registry).sender == "accounts")
        #expect(try status(2, in: registry).sender == "accounts")
    }

    /// An absent label changes no fingerprint: keys that were stored before there were labels stay valid.
    @Test func aLabelIsPartOfTheBodyOfAKey() throws {
        let registry = try scratch.open()
        let first = try registry.apply(.accept(labelled("Raid", key: 5), sender: "shop", now: timestamp(1_000)))
        guard case .accepted(let accepted, _) = first else {
            Issue.record("not accepted")
            return
        }
        var again = accepted
        again.isDuplicate = true
        #expect(
            try registry.apply(.accept(labelled("Raid", key: 5), sender: "live-ops", now: timestamp(1_001)))
                == .accepted(again, outbound: nil))
        #expect(try status(1, in: registry).sender == "shop")
        for label in [nil, "raid", "Raid "] {
            #expect(
                try registry.apply(.accept(labelled(label, key: 5), now: timestamp(1_001)))
                    == .refused(.idempotencyConflict))
        }
        let known = RequestFingerprint(
            hash: UUIDBytes(high: 0x8B2B_6493_B241_BB01, low: 0xC68D_C8C8_4762_2DB1))
        #expect(RequestFingerprint(of: labelled(nil, key: 5)) == known, "stored fingerprints have changed")
        #expect(RequestFingerprint(of: labelled("Raid", key: 5)) != known)
    }

    @Test func filtersFindWhatMeetsAllOfThem() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(labelled("Raid at 21:00"), sender: "live-ops", now: timestamp(1_000)),
            .accept(labelled("Raid at 22:00"), sender: "shop", now: timestamp(1_000)),
            .accept(labelled("Sale"), sender: "shop", now: timestamp(1_000)),
            .accept(labelled(nil), sender: "shop", now: timestamp(1_000)),
            .accept(labelled(nil), now: timestamp(1_000)),
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

    @Test func pagesOfAFilterCoverEveryMessageOnce() throws {
        let registry = try scratch.open()
        _ = try registry.apply(.register(1))
        for number in 0..<20 {
            let sender = number.isMultiple(of: 3) ? "shop" : "live-ops"
            _ = try registry.apply(.accept(labelled(nil), sender: sender, now: timestamp(1_000)))
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
    @Test func aPageWithoutRowsLeadsToTheNext() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(labelled("Raid"), sender: "live-ops", now: timestamp(1_000))])
        for _ in 0..<5 {
            _ = try registry.apply((0..<1_000).map { _ in Change.accept(labelled(nil), now: timestamp(1_000)) })
        }
        let filter = MessageFilter(labelPrefix: "Raid")
        let first = try registry.messages(of: game, before: nil, limit: 10, filter: filter)
        #expect(first == MessageSummaryPage(next: MessageID(rawValue: 5_001 - 4_095), rows: []))
        let second = try registry.messages(of: game, before: first.next, limit: 10, filter: filter)
        #expect(second.rows.map(\.id.rawValue) == [1])
        #expect(second.next == nil)
    }

    @Test func retentionRemovesTheMetadataWithItsMessage() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .accept(labelled(nil), sender: "shop", now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .delivered)], now: 2_000),
        ])
        let late = 2_001 + RegistrySettings.Retention().messageMilliseconds
        while try registry.sweep(now: timestamp(late)) == .incomplete {}
        registry.close()
        try scratch.edit { environment, tables in
            let found = try environment.read { (transaction) throws in
                try (1...2).map { try tables.messageMetadata.get(MessageID(rawValue: $0), in: transaction) }
            }
            #expect(found == [MessageMetadata(), MessageMetadata(sender: "shop")])
        }
        try end(try scratch.open())
    }

    @Test func aDatabaseWithoutTheTableHasNoLabelsAndNoSenders() throws {
        let first = try scratch.open()
        _ = try first.apply([.register(1), .accept(labelled("Raid"), sender: "live-ops", now: timestamp(1_000))])
        first.close()
        let old = try scratch.copy(without: "origins")
        let reader = try LMDBRegistry(reading: old.path)
        #expect(try status(1, in: reader).label == nil)
        #expect(try status(1, in: reader).sender == nil)
        #expect(try reader.verify() == [])
        #expect(try ids(MessageFilter(sender: "live-ops"), in: reader) == [])
        reader.close()
        let registry = try old.open()
        #expect(try registry.messages(of: game, before: nil, limit: 9).rows.map(\.sender) == [nil])
        _ = try registry.apply(.accept(labelled("Sale"), sender: "shop", now: timestamp(1_000)))
        #expect(try ids(MessageFilter(sender: "shop"), in: registry) == [2])
        registry.close()
    }

    @Test func corruptMetadataFailsOnlyWhatReadsIt() throws {
        let first = try scratch.open()
        _ = try first.apply([
            .register(1), .accept(labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .accept(labelled("Sale"), sender: "shop", now: timestamp(1_000)),
        ])
        first.close()
        try scratch.edit { environment, tables in
            let database = try #require(tables.messageMetadata.database)
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
                try transaction.put(([1, 9, 9] as [UInt8]).span, for: key.span, in: database)
            }
        }
        let registry = try scratch.open()
        #expect(throws: RegistryError.self) { try status(1, in: registry) }
        #expect(try status(2, in: registry).sender == "shop")
        #expect(try registry.messages(of: game, before: nil, limit: 1).rows.map(\.label) == ["Sale"])
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)])) == .outcomesRecorded(isFinished: true))
        let again = Change.resend(
            ResendRequest(app: game, id: MessageID(rawValue: 1), outcomes: [.delivered]), now: timestamp(3_000))
        #expect(throws: RegistryError.self) { try registry.apply(again) }
        #expect(try registry.apply(.recordOutcomes(of: 2, [(0, .delivered)])) == .outcomesRecorded(isFinished: true))
        registry.close()
    }
}
