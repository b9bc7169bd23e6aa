import CarillonCore
import CarillonDelivery
import Testing

/// Tokens that a provider calls bad, and devices that change while their push is tried again.
///
/// ``EngineHarness`` explains `1>7` and `1.0: 3 delivered`.
struct DeliveryEngineTokenTests {
    private static let bad = Verdict.refused(.badToken, deadSince: nil)

    private func change(_ harness: inout EngineHarness, _ device: UInt64) {
        harness.engine.deviceChanged(DeviceID(rawValue: device), of: EngineHarness.app)
    }

    private func entries(_ harness: inout EngineHarness) -> [OutcomeRecord.EndedRecipient] {
        harness.takeActions().records.flatMap(\.endedRecipients)
    }

    // MARK: The other environment

    @Test func aTokenThatIsGoodInTheOtherEnvironmentIsMovedThere() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        #expect(harness.pull(1).isEmpty)
        harness.complete(harness.pull(1, for: .sandbox), .delivered)
        let registeredAt = Timestamp(milliseconds: 7)
        #expect(
            entries(&harness) == [
                .init(position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: registeredAt)
            ])
    }

    @Test(arguments: [bad, Verdict.refused(.tokenUnregistered, deadSince: .zero)])
    func aBadTokenIsTriedOnceInTheOtherEnvironment(_ verdict: Verdict) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), verdict)
        let deadToken = OutcomeRecord.DeadToken(since: harness.now.wall, registeredAt: Timestamp(milliseconds: 7))
        #expect(entries(&harness) == [.init(position: 0, outcome: .badToken, deadToken: deadToken)])
        #expect(harness.pull(1).isEmpty)
    }

    @Test(arguments: [
        Verdict.unknown, .tryLater(.serverBusy, afterMilliseconds: nil),
        .tryLater(.throttled, afterMilliseconds: 9),
    ])
    func theOtherEnvironmentIsAskedAgainIfItDidNotAnswer(_ verdict: Verdict) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), verdict, for: .sandbox)
        #expect(harness.engine.takeActions().records.transcript == ["1.0: 0 waits after 1"])
        harness.advance(700_000)
        #expect(harness.pull(1).isEmpty)
        harness.complete(harness.pull(1, for: .sandbox), .delivered, for: .sandbox)
        #expect(harness.records() == ["1.0: 0 delivered"])
    }

    @Test func anUnprocessedPushInTheOtherEnvironmentIsTriedAgain() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        harness.complete(harness.pull(1, for: .sandbox), .notProcessed)
        #expect(harness.pull(1, for: .sandbox).transcript == ["1>1"])
    }

    @Test func aNewTokenIsNotTakenForTheBadOne() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        change(&harness, 1)
        #expect(harness.pull(1, for: .sandbox).isEmpty)
        harness.pageRead([.init(device: 1, token: 77, registeredAt: 8)], of: 1)
        #expect(harness.pull(1, for: .sandbox).isEmpty)
        #expect(harness.pull(1).tokens == [77])
    }

    @Test func aReadyRecipientWhoseEnvironmentHasChangedGoesToTheNewOne() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        change(&harness, 1)
        #expect(harness.pull(1).transcript == ["1>2"])
        harness.pageRead([.init(device: 1, environment: .sandbox), .init(device: 2)], of: 1)
        #expect(harness.pull(9).isEmpty)
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>1"])
    }

    @Test func aReadyRecipientFollowsAPageReloadedForAnotherRecipient() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        change(&harness, 1)
        // The page is read again for the first; the second comes back meanwhile and is ready.
        harness.complete(harness.pull(1), .notProcessed)
        harness.pageRead([.init(device: 1), .init(device: 2, environment: .sandbox)], of: 1)
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>2"])
    }

    @Test(arguments: [true, false]) func aTokenRefusedInItsOnlyEnvironmentIsBad(_ isParked: Bool) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), Self.bad)
        if isParked {
            harness.refuseCredential(of: .sandbox)
        } else {
            harness.engine.routesChanged(
                Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]), at: harness.now)
        }
        #expect(entries(&harness) == [.init(position: 0, outcome: .badToken)])
    }

    // MARK: The breaker

    @Test func manyBadTokensQuarantineNoDeviceUntilTheAlarmEnds() {
        var harness = EngineHarness(routes: Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]))
        harness.send(.message(1), to: 1...4_000)
        harness.complete(harness.pull(49), Self.bad)
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
        #expect(entries(&harness).map { $0.deadToken != nil } == [true])
    }

    // MARK: Replays

    @Test func aRepeatedlyUnprocessedPushIsChargedAsAnAttempt() {
        var limits = DeliveryEngine.Limits()
        limits.uncountedReturns = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...1)
        for _ in 1...2 { harness.complete(harness.pull(1), .notProcessed) }
        #expect(harness.records().isEmpty)
        harness.complete(harness.pull(1), .notProcessed)
        #expect(harness.records() == ["1.0: 0 waits after 1"])
    }

    @Test func afterAllDevicesHaveChangedEveryPageIsReadAgain() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        harness.engine.allDevicesChanged()
        #expect(harness.pull(9).isEmpty)
        harness.pageRead([.init(device: 1), .init(device: 2, finalOutcome: .muted)], of: 1)
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.records() == ["1.0: 1 muted"])
    }
}
