import CarillonCore
import CarillonDelivery
import Testing

/// Retries: which attempts are repeated, when, and how often.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineRetryTests {
    @Test func `an unanswered push is tried again after a delay`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt 1"])
        #expect(harness.pull(1).isEmpty)

        let due = try #require(harness.engine.deadline)
        #expect((harness.now.uptime + 250...harness.now.uptime + 500).contains(due))
        harness.advance(due - harness.now.uptime - 1)
        #expect(harness.pull(1).isEmpty)
        harness.advance(1)
        #expect(harness.engine.deadline == nil)
        #expect(harness.engine.takeActions().poolsToWake == [PoolKey.production])
        #expect(harness.pull(1).transcript == ["1>1"])
    }

    @Test func `an unprocessed push goes first and at once`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        // None of these counts as an attempt.
        for _ in 0..<DeliveryEngine.Limits().uncountedReturns {
            let deliveries = harness.pull(1)
            #expect(deliveries.transcript == ["1>1"])
            harness.complete(deliveries, .notProcessed)
            #expect(harness.engine.takeActions().poolsToWake == [PoolKey.production])
        }
        #expect(harness.engine.deadline == nil)
    }

    /// Returns the milliseconds before the second and before the third attempt of a push that always ends with
    /// `verdict`.
    private func delays(after verdict: Verdict) throws -> [UInt64] {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        return try (0..<2).map { _ in
            harness.complete(harness.pull(1), verdict)
            let delay = try #require(harness.engine.deadline) - harness.now.uptime
            harness.advance(delay)
            return delay
        }
    }

    @Test(arguments: [
        (Verdict.unknown, 250...500 as ClosedRange<UInt64>),
        (.tryLater(.throttled, afterMilliseconds: nil), 15_000...30_000),
        (.tryLater(.serverBusy, afterMilliseconds: nil), 500...1_000),
    ])
    func `the bounds of the second delay are twice those of the first`(_ verdict: Verdict, _ first: ClosedRange<UInt64>)
        throws
    {
        let delays = try delays(after: verdict)
        #expect(first.contains(delays[0]))
        #expect((2 * first.lowerBound...2 * first.upperBound).contains(delays[1]))
    }

    @Test(arguments: [(Verdict.TryLater.serverBusy, 7_000), (.throttled, 90_000)] as [(Verdict.TryLater, UInt64)])
    func `a retry waits for the Retry-After of the provider`(_ reason: Verdict.TryLater, _ asked: UInt64) throws {
        #expect(try delays(after: .tryLater(reason, afterMilliseconds: asked)) == [asked, asked])
    }

    @Test func `a push that is held back waits equally long each time, and counts as no attempt`() throws {
        let held = Verdict.tryLater(.heldBack, afterMilliseconds: 10_000)
        #expect(try delays(after: held).allSatisfy { (10_000...12_500).contains($0) })
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        for _ in 0..<100 {
            harness.complete(harness.pull(1), held)
            harness.advance(try #require(harness.engine.deadline) - harness.now.uptime)
        }
        harness.complete(harness.pull(1), .delivered)
        let records = harness.records()
        #expect(
            records.filter { $0 != "page 1.0, recipient 0: waits after attempt 0" } == [
                "page 1.0, recipient 0: delivered"
            ])
    }

    @Test func `the delay of a push that is held back is recorded`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .tryLater(.heldBack, afterMilliseconds: 10_000))
        let delay = try #require(harness.takeActions().records.first?.delays.first)
        #expect(delay.position == 0)
        #expect(delay.attempts == 0)
        #expect((10_000...12_500).contains(delay.dueAt.milliseconds(since: harness.now.wall)))
    }

    @Test(arguments: [(delay: 8_000, waits: true), (delay: 9_001, waits: false)] as [(delay: UInt64, waits: Bool)])
    func `a push that is held back expires only if its delay is too long`(_ delay: UInt64, _ waits: Bool) {
        var harness = EngineHarness()
        let end = harness.now.wall.milliseconds + 9_000
        harness.send(.message(1, notAfter: end), to: 1...1)
        harness.complete(harness.pull(1), .tryLater(.heldBack, afterMilliseconds: delay))
        #expect(
            harness.records() == [
                waits ? "page 1.0, recipient 0: waits after attempt 0" : "page 1.0, recipient 0: expired"
            ])
    }

    @Test func `a recipient is given up after twelve attempts`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        for attempt in 1..<12 {
            harness.complete(harness.pull(1), .unknown)
            #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt \(attempt)"])
            harness.advance(try #require(harness.engine.deadline) - harness.now.uptime)
        }
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.records() == ["page 1.0, recipient 0: gave-up"])
        #expect(harness.engine.deadline == nil)
    }

    /// A push, and true if it is of use only now.
    struct Use: CustomTestStringConvertible {
        let type: PushType
        var expiration = Expiration.unspecified
        let isOnlyForNow: Bool

        var testDescription: String { "\(type.name), \(expiration)" }
    }

    @Test(arguments: [
        Use(type: .voip, isOnlyForNow: true),
        Use(type: .pushtotalk, isOnlyForNow: true),
        Use(type: .alert, expiration: .once, isOnlyForNow: true),
        Use(type: .alert, isOnlyForNow: false),
        Use(type: .voip, expiration: .at(seconds: 1_800_000_000), isOnlyForNow: false),
    ])
    func `a push is given up only if it would be useless later`(_ use: Use) {
        var harness = EngineHarness()
        harness.send(.message(1, use.type, expiration: use.expiration), to: [.init(device: 1)])
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 40_000))
        #expect(
            harness.records() == [
                use.isOnlyForNow ? "page 1.0, recipient 0: gave-up" : "page 1.0, recipient 0: waits after attempt 1"
            ])
    }
}
