import CarillonCore
import CarillonDelivery
import Testing

/// The attempts that the engine records for TRACE (Protocol 10.8).
///
/// `0 503 ServiceUnavailable`: an attempt at the recipient at position 0 was answered with status 503 and this reason.
struct DeliveryEngineTraceTests {
    /// Returns `position status reason` of each attempt in the records to write; the records are on disk at once.
    private func attempts(_ harness: inout EngineHarness) -> [String] {
        harness.takeActions().records.flatMap { record in
            record.attempts.map { "\($0.position) \($0.attempt.status) \($0.attempt.reason)" }
        }
    }

    @Test func `every attempt of the interactive lane is recorded`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let deliveries = harness.pull(2)
        harness.advance(40)
        harness.complete(deliveries, .delivered, status: 200)
        let record = harness.engine.takeActions().records[0]
        let attempt = TraceAttempt(endedAt: harness.now.wall, connectionNumber: 7, status: 200, reason: "")
        #expect(record.attempts == [.init(position: 0, attempt: attempt), .init(position: 1, attempt: attempt)])
        #expect(record.endedRecipients.map(\.outcome) == [.delivered, .delivered])
    }

    @Test func `a bulk push that is delivered at once leaves no attempt`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...3)
        harness.complete(harness.pull(3), .delivered, status: 200)
        #expect(attempts(&harness).isEmpty)
    }

    @Test func `a bulk push that is retried leaves all its attempts`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...1)
        harness.complete(harness.pull(1), .unknown, reason: "timeout")
        harness.advance(1_000)
        harness.complete(
            harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: nil), status: 503, reason: "ServiceUnavailable")
        harness.advance(2_000)
        harness.complete(harness.pull(1), .delivered, status: 200)
        #expect(attempts(&harness) == ["0 0 timeout", "0 503 ServiceUnavailable", "0 200 "])
    }

    @Test func `a push that APNs refuses leaves its reason`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...1)
        harness.complete(
            harness.pull(1), .refused(.tokenUnregistered, deadSince: harness.now.wall), status: 410,
            reason: "Unregistered")
        #expect(attempts(&harness) == ["0 410 Unregistered"])
    }

    @Test func `an attempt in the other environment is recorded too`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...1)
        harness.complete(
            harness.pull(1), .refused(.badToken, deadSince: nil), status: 400, reason: "BadDeviceToken")
        harness.complete(
            harness.pull(1, for: .sandbox), .delivered, status: 200, for: .sandbox)
        #expect(attempts(&harness) == ["0 400 BadDeviceToken", "0 200 "])
    }

    @Test func `a push that was not processed is written before its message leaves`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        let deliveries = harness.pull(1)
        harness.refuseCredential()
        harness.complete(deliveries, .credentialRefused, status: 403, reason: "InvalidProviderToken")
        // The recipient stays pending in the outbox, but its attempt is recorded.
        #expect(attempts(&harness) == ["0 403 InvalidProviderToken"])
        #expect(harness.engine.load.messages == 0)
    }

    @Test func `recorded attempts of a message are limited`() {
        var limits = DeliveryEngine.Limits()
        limits.recordedAttempts = 3
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...2)
        for _ in 0..<2 { harness.complete(harness.pull(2), .notProcessed, reason: "refused-stream") }
        #expect(attempts(&harness).count == 3)
        harness.complete(harness.pull(2), .delivered, status: 200)
        #expect(attempts(&harness).isEmpty)
        #expect(harness.engine.load.messages == 0)

        harness.send(.message(2), to: 1...1)
        harness.complete(harness.pull(1), .delivered, status: 200)
        #expect(attempts(&harness) == ["0 200 "], "another message has a limit of its own")
    }
}
