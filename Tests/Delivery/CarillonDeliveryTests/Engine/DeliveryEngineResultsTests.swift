import CarillonCore
import CarillonDelivery
import Testing

/// Deliveries come back with the results of their attempts, also of bad tokens.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineResultsTests {
    private static let bad = Verdict.refused(.badToken, deadSince: nil)

    private func change(_ harness: inout EngineHarness, _ device: UInt64) {
        harness.engine.deviceChanged(DeviceID(rawValue: device), of: EngineHarness.app)
    }

    private func endedRecipients(_ harness: inout EngineHarness) -> [OutcomeRecord.EndedRecipient] {
        harness.takeActions().records.flatMap(\.endedRecipients)
    }

    @Test(arguments: [
        (Verdict.refused(.payloadTooLarge, deadSince: nil), Outcome.payloadTooLarge),
        (.refused(.refused, deadSince: nil), .refused), (.delivered, .delivered),
    ])
    func `a final answer is the outcome`(_ verdict: Verdict, _ outcome: Outcome) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), verdict)
        #expect(harness.records() == ["page 1.0, recipient 0: \(outcome)"])
    }

    @Test func `a dead token is recorded with the registration it was read from`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        let since = Timestamp(milliseconds: 99)
        harness.complete(harness.pull(1), .refused(.tokenUnregistered, deadSince: since))
        let deadToken = OutcomeRecord.DeadToken(since: since, registeredAt: Timestamp(milliseconds: 7))
        #expect(
            harness.engine.takeActions().records.map(\.endedRecipients) == [
                [OutcomeRecord.EndedRecipient(position: 0, outcome: .tokenUnregistered, deadToken: deadToken)]
            ])
    }

    @Test func `an answer without a delivery is ignored`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let deliveries = harness.pull(1)
        harness.complete(deliveries, .delivered)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
        harness.complete(deliveries, .delivered)
        #expect(harness.records().isEmpty)
    }

    // MARK: The other environment

    @Test func `a token that is good in the other environment is moved there`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        #expect(harness.pull(1).isEmpty)
        harness.complete(harness.pull(1, for: .sandbox), .delivered)
        let registeredAt = Timestamp(milliseconds: 7)
        #expect(
            endedRecipients(&harness) == [
                .init(position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: registeredAt)
            ])
    }

    @Test(arguments: [bad, Verdict.refused(.tokenUnregistered, deadSince: .zero)])
    func `a bad token is tried once in the other environment`(_ verdict: Verdict) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), verdict)
        let deadToken = OutcomeRecord.DeadToken(since: harness.now.wall, registeredAt: Timestamp(milliseconds: 7))
        #expect(endedRecipients(&harness) == [.init(position: 0, outcome: .badToken, deadToken: deadToken)])
        #expect(harness.pull(1).isEmpty)
    }

    @Test(arguments: [
        Verdict.unknown, .tryLater(.serverBusy, afterMilliseconds: nil),
        .tryLater(.throttled, afterMilliseconds: 9),
    ])
    func `the other environment is asked again if it did not answer`(_ verdict: Verdict) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), verdict, for: .sandbox)
        #expect(harness.engine.takeActions().records.transcript == ["page 1.0, recipient 0: waits after attempt 1"])
        harness.advance(700_000)
        #expect(harness.pull(1).isEmpty)
        harness.complete(harness.pull(1, for: .sandbox), .delivered, for: .sandbox)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    @Test func `an unprocessed push in the other environment is tried again`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), .notProcessed)
        #expect(harness.pull(1, for: .sandbox).transcript == ["1>1"])
    }

    @Test func `a new token is not taken for the bad one`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        change(&harness, 1)
        #expect(harness.pull(1, for: .sandbox).isEmpty)
        harness.pageRead([.init(device: 1, token: 77, registeredAt: 8)], of: 1)
        #expect(harness.pull(1, for: .sandbox).isEmpty)
        #expect(harness.pull(1).tokens == [77])
    }

    @Test(arguments: [true, false]) func `a token refused in its only environment is bad`(_ isParked: Bool) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        if isParked {
            harness.refuseCredential(of: .sandbox)
        } else {
            harness.engine.routesChanged(
                Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]), at: harness.now)
        }
        #expect(endedRecipients(&harness) == [.init(position: 0, outcome: .badToken)])
    }

    // MARK: The breaker

    @Test func `many bad tokens quarantine no device until the alarm ends`() {
        var harness = EngineHarness(routes: Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]))
        harness.send(.message(1), to: 1...4_000)
        let tooFewForAnAlarm = 49
        harness.complete(harness.pull(tooFewForAnAlarm), Self.bad)
        var actions = harness.takeActions()
        #expect(actions.alarmReports.isEmpty)
        #expect(actions.records.flatMap(\.endedRecipients).allSatisfy { $0.deadToken != nil })

        harness.complete(harness.pull(100), Self.bad)
        actions = harness.takeActions()
        #expect(actions.alarmReports == [.badTokens(EngineHarness.app, .apnsProduction, isOver: false)])
        #expect(actions.records.flatMap(\.endedRecipients).allSatisfy { $0.outcome == .badToken })
        #expect(actions.records.flatMap(\.endedRecipients).allSatisfy { $0.deadToken == nil })

        while actions.alarmReports.isEmpty
            || actions.alarmReports.contains(.badTokens(EngineHarness.app, .apnsProduction, isOver: false))
        {
            let good = harness.pull(100)
            if good.isEmpty { break }
            harness.complete(good, .delivered)
            actions = harness.takeActions()
        }
        #expect(actions.alarmReports == [.badTokens(EngineHarness.app, .apnsProduction, isOver: true)])
        harness.complete(harness.pull(1), Self.bad)
        #expect(endedRecipients(&harness).map { $0.deadToken != nil } == [true])
    }

    // MARK: Not processed

    @Test func `a repeatedly unprocessed push is counted as an attempt`() {
        var limits = DeliveryEngine.Limits()
        limits.uncountedReturns = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...1)
        for _ in 1...2 { harness.complete(harness.pull(1), .notProcessed) }
        #expect(harness.records().isEmpty)
        harness.complete(harness.pull(1), .notProcessed)
        #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt 1"])
    }
}
