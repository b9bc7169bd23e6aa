import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Messages to a broadcast channel, from acceptance to the end, and across a restart.
struct SendApplierBroadcastTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    private func attempt(status: UInt16, reason: String, uniqueID: String? = nil) -> OutcomeRecord.RecordedAttempt {
        OutcomeRecord.RecordedAttempt(
            position: 0,
            attempt: TraceAttempt(
                endedAt: timestamp(1_500), connectionNumber: 3, status: status, reason: reason, uniqueID: uniqueID))
    }

    /// A first attempt that APNs has throttled, and the time of the next one.
    private var throttled: OutcomeRecord {
        OutcomeRecord(
            message: first, page: 0, endedRecipients: [],
            delays: [OutcomeRecord.Delay(position: 0, attempts: 1, dueAt: timestamp(9_000))],
            attempts: [attempt(status: 429, reason: "TooManyRequests")])
    }

    private func trace(_ registry: LMDBRegistry) throws -> MessageTrace {
        let answer = try registry.trace(of: first, device: .id(.channel), app: game)
        guard case .trace(let trace) = answer else { throw RegistryError.corrupted("\(answer)") }
        return trace
    }

    @Test func `the channel is the only recipient`() throws {
        let registry = try scratch.open()
        let answers = try registry.apply([.register(1), .accept(.broadcast(), now: timestamp(1_000))])
        guard case .accepted(let acceptance, _)? = answers.last else { throw RegistryError.corrupted("\(answers)") }
        #expect(acceptance == SendResult(id: first, isDuplicate: false, total: 1, ended: 0))
        let entry = try #require(try registry.unfinished().first)
        #expect(entry.channel == ChannelAddress.sample())
        #expect(entry.content.expiration == .once)
        let page = try #require(try registry.nextPage(of: first, from: 0))
        #expect(page.recipients.map(\.device) == [nil])
        #expect(page.recipients.map(\.finalOutcome) == [nil])
        #expect(page.isLast)
        #expect(page.recipients.map(\.destination) == [.apnsProduction])
        #expect(try registry.status(of: first, app: game)?.audience == "\(ChannelAddress.sample())")
        registry.close()
    }

    @Test func `a broadcast push waits for its next attempt also after a restart`() throws {
        var registry = try scratch.open()
        try registry.apply([
            .accept(.broadcast(to: .sample(environment: .sandbox)), now: timestamp(1_000)),
            .recordOutcomes(throttled, now: timestamp(1_600)),
        ])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.unfinished().map(\.channel) == [.sample(environment: .sandbox)])
        let page = try #require(try registry.nextPage(of: first, from: 0))
        let recipient = try #require(page.recipients.first)
        #expect(recipient.destination == .apnsSandbox)
        #expect(recipient.attempts == 1)
        #expect(recipient.dueAt == timestamp(9_000))
        registry.close()
    }

    @Test func `a trace of a broadcast push has its attempts also after a restart`() throws {
        var registry = try scratch.open()
        let id = "0e9a64d6-7b38-4b6d-9d8f-0a1b2c3d4e5f"
        let end = OutcomeRecord(
            message: first, page: 0, endedRecipients: [OutcomeRecord.EndedRecipient(position: 0, outcome: .delivered)],
            attempts: [attempt(status: 200, reason: "", uniqueID: id)])
        try registry.apply([
            .accept(.broadcast(to: .sample(environment: .sandbox)), now: timestamp(1_000)),
            .recordOutcomes(throttled, now: timestamp(1_600)), .recordOutcomes(end, now: timestamp(1_600)),
        ])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.verify() == [])
        let trace = try trace(registry)
        #expect(trace.outcome == .delivered)
        #expect(trace.state == .finished)
        #expect(trace.nextAttemptAt == nil)
        #expect(trace.attempts.map(\.status) == [429, 200])
        #expect(trace.attempts.map(\.uniqueID) == [nil, id])
        registry.close()
    }

    /// Whatever is said about the recipient, there is no device to quarantine.
    @Test func `no device is quarantined`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.broadcast(), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .noChannel)], deadSince: 5_000),
        ])
        #expect(try registry.quarantinedDevices(of: game, cursor: 0, limit: 10).devices == [])
        #expect(try registry.status(of: first, app: game)?.outcomes == [.noChannel: 1])
        let page = try registry.outcomes(of: first, app: game, cursor: 0, limit: 10)
        #expect(page?.recipients == [RecipientOutcome(device: nil, outcome: .noChannel)])
        #expect(try registry.verify() == [])
        registry.close()
    }

    @Test func `only a broadcast push has a trace of its channel`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.broadcast(), now: timestamp(1_000)),
            .accept(.sample(to: [byToken(1), byToken(9)]), now: timestamp(1_000)),
        ])
        #expect(try trace(registry).outcome == .pending)
        #expect(try registry.trace(of: messageID(2), device: .id(.channel), app: game) == .noDevice)
        registry.close()
    }

    @Test func `a resend has no recipients`() throws {
        let registry = try scratch.open()
        let resend = Change.resend(ResendRequest(app: game, id: first, outcomes: [.noChannel]), now: timestamp(3_000))
        let answers = try registry.apply([
            .accept(.broadcast(), now: timestamp(1_000)), .recordOutcomes(of: 1, [(0, .noChannel)]), resend,
        ])
        guard case .accepted(let acceptance, _)? = answers.last else { throw RegistryError.corrupted("\(answers)") }
        #expect(acceptance.total == 0)
        #expect(try registry.status(of: acceptance.id, app: game)?.state == .finished)
        #expect(try registry.verify() == [])
        registry.close()
    }
}
