import CarillonClock
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// TRACE (Protocol 10.8): devices 1 and 2 are in all stories, and each story asks why device 1 did or did not get
/// message 1.
struct MessageTracerTests {
    private let scratch = RegistryDirectory()

    /// Makes the story, and asks why device 1 did or did not get message 1.
    private func story(
        _ changes: [Change], _ options: (inout LMDBRegistry.Options) -> Void = { _ in }
    ) throws -> (registry: LMDBRegistry, trace: MessageTrace) {
        let registry = try scratch.open(options)
        try registry.apply([.register(1, locale: "de-AT"), .register(2)] + changes)
        return (registry, try trace(1, in: registry))
    }

    private func end(_ registry: LMDBRegistry) throws {
        #expect(try registry.verify() == [])
        registry.close()
    }

    private func trace(_ device: UInt64, in registry: LMDBRegistry) throws -> MessageTrace {
        let answer = try registry.trace(of: messageID(1), device: .id(deviceID(device)), app: game)
        guard case .trace(let trace) = answer else { throw RegistryError.corrupted("\(answer)") }
        return trace
    }

    private func accept(_ message: Message) -> Change { .accept(message, now: timestamp(1_000)) }

    private func fixed(
        _ ids: [UInt16], _ ended: [OutcomeRecord.EndedRecipient] = [], now: Timestamp = timestamp(2_000)
    ) -> Change {
        var bits = ChunkBits()
        for id in ids { bits.insert(id) }
        return .recordOutcomes(
            OutcomeRecord(
                message: messageID(1), page: 0, endedRecipients: ended, addressed: AddressedChunk(bits)),
            now: now)
    }

    private func attempt(_ at: UInt64, status: UInt16 = 503) -> OutcomeRecord.RecordedAttempt {
        OutcomeRecord.RecordedAttempt(
            position: 0,
            attempt: TraceAttempt(
                endedAt: timestamp(at), connectionNumber: 7, status: status,
                reason: status == 200 ? "" : "ServiceUnavailable"))
    }

    @Test func `a device of a list has the list as its source`() throws {
        let (registry, trace) = try story([accept(.sample(to: [byToken(1)]))])
        #expect(trace.addressing == .recipient)
        #expect(trace.sources == [.device])
        #expect(trace.outcome == .pending)
        #expect(trace.state == .waiting)
        let other = try self.trace(2, in: registry)
        #expect(other.addressing == .noRecipient)
        #expect(other.sources == [])
        #expect(other.outcome == .pending)
        try end(registry)
    }

    @Test func `a topic reaches the device through a group and itself`() throws {
        let changes = [
            Change.join("user/1", devices: [byToken(1)]),
            .subscribe(["news"], devices: [byToken(1)], groups: ["user/1"]),
            accept(.sample(to: .topic("news"))),
        ]
        let (registry, trace) = try story(changes)
        #expect(trace.addressing == .wouldBeRecipient)
        #expect(
            trace.sources == [.topic("news", through: nil), .topic("news", through: "user/1")])
        #expect(try self.trace(2, in: registry).addressing == .wouldBeNoRecipient)
        try registry.apply(fixed([1], [OutcomeRecord.EndedRecipient(position: 1, outcome: .delivered)]))
        #expect(try self.trace(1, in: registry).addressing == .recipient)
        #expect(try self.trace(1, in: registry).outcome == .delivered)
        #expect(try self.trace(2, in: registry).addressing == .noRecipient)
        try end(registry)
    }

    @Test func `a group of the audience is a source`() throws {
        let audience = Audience.groups(["user/0", "user/1"])
        let (registry, trace) = try story([.join("user/1", devices: [byToken(1)]), accept(.sample(to: audience))])
        #expect(trace.sources == [.group("user/1")])
        try end(registry)
    }

    @Test func `the audience of all is a source`() throws {
        let (registry, trace) = try story([accept(.sample(to: .all))])
        #expect(trace.sources == [.all])
        try end(registry)
    }

    @Test func `the terms of a condition that hold are named`() throws {
        let text = "('news' in topics || 'user/1' in groups) && !('user/2' in groups) && locale != 'en'"
        let changes = [
            Change.join("user/1", devices: [byToken(1)]), accept(.sample(to: .condition(try Condition(text)))),
        ]
        let (registry, trace) = try story(changes)
        #expect(
            trace.sources == [
                .term("'user/1' in groups"), .term("!'user/2' in groups"), .term("locale != 'en'"),
            ])
        #expect(try self.trace(2, in: registry).sources == [])
        try end(registry)
    }

    @Test func `a device that is left out or registered later is not addressed`() throws {
        let (registry, trace) = try story([accept(.sample(to: .all, excluding: byToken(1))), .register(3)])
        #expect(trace.addressing == .noRecipient)
        #expect(trace.sources == [.all])
        #expect(try self.trace(3, in: registry).addressing == .noRecipient)
        try end(registry)
    }

    @Test func `a scheduled message addresses devices of its time`() throws {
        var later = Message.sample(to: .all)
        later.sendAt = timestamp(9_000)
        let (registry, trace) = try story([accept(later), .register(3)])
        #expect(trace.state == .scheduled)
        #expect(trace.addressing == .wouldBeRecipient)
        #expect(try self.trace(3, in: registry).addressing == .wouldBeRecipient)
        try end(registry)
    }

    @Test func `mute of the device and of its groups is shown`() throws {
        let changes = [
            Change.join("user/1", devices: [byToken(1)]), .join("user/2", devices: [byToken(1)]), .mute("user/2"),
            .updateDevice(1, isMuted: true),
            accept(.sample(to: .all)),
        ]
        let (registry, trace) = try story(changes)
        #expect(trace.isMuted)
        #expect(trace.mutedGroups == ["user/2"])
        #expect(try !self.trace(2, in: registry).isMuted)
        try end(registry)
    }

    @Test func `the language of the body is shown`() throws {
        let bodies = [LanguageBody(language: "de", payload: Array("{}".utf8))]
        let (registry, trace) = try story([accept(.sample(to: .all, bodies: bodies))])
        #expect(trace.language == "de")
        #expect(try self.trace(2, in: registry).language == "")
        try end(registry)
    }

    @Test func `a device without a matching language is shown`() throws {
        var content = Message.sample(to: .all, bodies: [LanguageBody(language: "fr", payload: Array("{}".utf8))])
        content.content.payload = []
        let (registry, trace) = try story([accept(content)])
        #expect(trace.language == nil)
        try end(registry)
    }

    @Test func `the budget of silent pushes is shown`() throws {
        let changes = [
            accept(.sample(to: .all, pushType: .background)),
            fixed([1, 2], [OutcomeRecord.EndedRecipient(position: 1, outcome: .delivered)], now: Clock.wallTime()),
        ]
        let (registry, trace) = try story(changes)
        #expect(trace.silentBudgetLeft == 2)
        #expect(try self.trace(2, in: registry).silentBudgetLeft == 3)
        try end(registry)
    }

    @Test func `without a budget none is shown`() throws {
        let (registry, trace) = try story(
            [accept(.sample(to: .all, pushType: .background))], { $0.settings?.silentBudget.pushes = 0 })
        #expect(trace.silentBudgetLeft == nil)
        try end(registry)
    }

    @Test func `a quarantined device is in no audience`() throws {
        let changes = [
            accept(.sample(to: [byToken(1)])), .recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_500),
        ]
        let (registry, trace) = try story(changes)
        #expect(trace.isQuarantined)
        #expect(trace.outcome == .tokenUnregistered)
        #expect(trace.state == .finished)
        try end(registry)
    }

    @Test func `a pending delivery shows its attempts and the next one`() throws {
        let record = OutcomeRecord(
            message: messageID(1), page: 0, endedRecipients: [],
            delays: [OutcomeRecord.Delay(position: 0, attempts: 1, dueAt: timestamp(7_000))], attempts: [attempt(2_000)]
        )
        let (registry, trace) = try story([
            accept(.sample(to: [byToken(1)])), .recordOutcomes(record, now: timestamp(2_000)),
        ])
        #expect(trace.attempts == [attempt(2_000).attempt])
        #expect(trace.nextAttemptAt == timestamp(7_000))
        try end(registry)
    }

    @Test func `the newest eight attempts stay and a long reason is cut`() throws {
        var changes = [accept(.sample(to: [byToken(1)]))]
        for at in 1...9 {
            let record = OutcomeRecord(
                message: messageID(1), page: 0, endedRecipients: [], attempts: [attempt(UInt64(at))])
            changes.append(.recordOutcomes(record, now: timestamp(2_000)))
        }
        var long = attempt(10, status: 200)
        long.attempt.reason = String(repeating: "é", count: 40)
        let last = OutcomeRecord(
            message: messageID(1), page: 0,
            endedRecipients: [OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)], attempts: [long])
        let (registry, trace) = try story(changes + [.recordOutcomes(last, now: timestamp(2_000))])
        #expect(trace.attempts.map(\.endedAt.milliseconds) == [3, 4, 5, 6, 7, 8, 9, 10])
        #expect(trace.attempts.last?.reason == String(repeating: "é", count: 32))
        #expect(trace.state == .finished)
        #expect(trace.outcome == .delivered)
        #expect(trace.nextAttemptAt == nil)
        try end(registry)
    }

    @Test func `attempts at no recipient are refused`() throws {
        let record = OutcomeRecord(
            message: messageID(1), page: 0, endedRecipients: [],
            attempts: [OutcomeRecord.RecordedAttempt(position: 1, attempt: attempt(1).attempt)])
        let (registry, _) = try story([accept(.sample(to: [byToken(1)]))])
        #expect(try registry.apply(.recordOutcomes(record, now: timestamp(2_000))) == .refused(.notFound))
        try end(registry)
    }

    @Test func `corrupt attempts keep no outcome from the disk`() throws {
        let one = messageID(1)
        let tried = OutcomeRecord(message: one, page: 0, endedRecipients: [], attempts: [attempt(2_000)])
        try end(
            try story([accept(.sample(to: [byToken(1)])), .recordOutcomes(tried, now: timestamp(2_000))]).registry)
        try scratch.edit { environment, tables in
            let database = try #require(tables.attempts.database)
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
                try transaction.put(([99] as [UInt8]).span, for: key.span, in: database)
            }
        }
        let registry = try scratch.open()
        let delivered = OutcomeRecord(
            message: one, page: 0, endedRecipients: [OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)],
            attempts: [attempt(3_000, status: 200)])
        try registry.apply(.recordOutcomes(delivered, now: timestamp(3_000)))
        let trace = try trace(1, in: registry)
        #expect(trace.outcome == .delivered)
        #expect(trace.attempts == [attempt(3_000, status: 200).attempt])
        try end(registry)
    }

    @Test func `retention removes attempts with their message`() throws {
        let record = OutcomeRecord(
            message: messageID(1), page: 0,
            endedRecipients: [OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)],
            attempts: [attempt(2_000)])
        let changes = [accept(.sample(to: [byToken(1)])), Change.recordOutcomes(record, now: timestamp(2_000))]
        let (registry, _) = try story(changes, { $0.settings?.maximumSweptRows = 3 })
        while try registry.sweep(now: timestamp(3_000 + 7 * 86_400_000)) == .incomplete {
            #expect(try registry.verify() == [])
        }
        #expect(
            try registry.trace(of: messageID(1), device: .id(deviceID(1)), app: game) == .noMessage)
        let left = try registry.readAfterCheckpoint { transaction, tables in
            try tables.attempts.first(messageID(1), in: transaction)
        }
        #expect(left == nil)
        try end(registry)
    }

    @Test func `a missing message or device is named`() throws {
        let (registry, _) = try story([accept(.sample(to: [byToken(1)]))])
        let one = messageID(1)
        #expect(try registry.trace(of: messageID(2), device: .id(deviceID(1)), app: game) == .noMessage)
        #expect(try registry.trace(of: one, device: .id(deviceID(9)), app: game) == .noDevice)
        #expect(try registry.trace(of: one, device: byToken(9), app: game) == .noDevice)
        #expect(try registry.trace(of: one, device: byToken(1), app: AppID("com.other")!) == .noMessage)
        try end(registry)
    }

    @Test func `a database without the table opens`() throws {
        try end(try story([accept(.sample(to: [byToken(1)]))]).registry)
        let old = try scratch.copy(without: "attempts")
        let reader = try LMDBRegistry(reading: old.path)
        #expect(try trace(1, in: reader).attempts == [])
        #expect(try reader.verify() == [])
        reader.close()
        let registry = try old.open()
        #expect(try trace(1, in: registry).attempts == [])
        registry.close()
    }
}
