import CarillonCore
import CarillonDelivery
import Testing

/// Tokens that APNs calls bad, and silent pushes.
@Suite struct EngineTokenTests {
    private static let bad = Verdict.refused(.badToken, deadSince: nil)

    private func change(_ desk: inout EngineDesk, _ device: UInt64) {
        desk.engine.deviceChanged(DeviceID(rawValue: device), of: EngineDesk.app)
    }

    private func entries(_ desk: inout EngineDesk) -> [OutcomeRecord.Entry] {
        desk.write().records.flatMap(\.entries)
    }

    // MARK: The other environment

    @Test func aTokenThatIsGoodInTheOtherEnvironmentIsMovedThere() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        #expect(desk.pull(1).isEmpty)
        desk.complete(desk.pull(1, for: EngineDesk.sandbox), .delivered)
        let registeredAt = Timestamp(milliseconds: 7)
        #expect(
            entries(&desk) == [
                .init(position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: registeredAt)
            ])
    }

    @Test(arguments: [bad, Verdict.refused(.tokenUnregistered, deadSince: .zero)])
    func aTokenThatIsBadHereAndNotGoodThereIsAskedForOnce(_ verdict: Verdict) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        desk.complete(desk.pull(1, for: EngineDesk.sandbox), verdict)
        let death = OutcomeRecord.TokenDeath(since: desk.now.wall, registeredAt: Timestamp(milliseconds: 7))
        #expect(entries(&desk) == [.init(position: 0, outcome: .badToken, death: death)])
        #expect(desk.pull(1).isEmpty)
    }

    @Test(arguments: [
        Verdict.unknown, .tryLater(.serverBusy, afterMilliseconds: nil),
        .tryLater(.tokenThrottled, afterMilliseconds: 9),
    ])
    func withoutAnAnswerThereItIsAskedForAgain(_ verdict: Verdict) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        desk.complete(desk.pull(1, for: EngineDesk.sandbox), verdict, for: EngineDesk.sandbox)
        #expect(desk.engine.takeEffects().records.flatMap(EngineDesk.words) == ["1.0: 0 waits after 1"])
        desk.advance(700_000)
        #expect(desk.pull(1).isEmpty)
        desk.complete(desk.pull(1, for: EngineDesk.sandbox), .delivered, for: EngineDesk.sandbox)
        #expect(desk.records() == ["1.0: 0 delivered"])
    }

    @Test func whatIsNotProcessedThereIsAskedForAgain() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        desk.complete(desk.pull(1, for: EngineDesk.sandbox), .notProcessed)
        #expect(desk.pull(1, for: EngineDesk.sandbox).words == ["1>1"])
    }

    @Test func aNewTokenIsNotTakenForTheBadOne() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        change(&desk, 1)
        #expect(desk.pull(1, for: EngineDesk.sandbox).isEmpty)
        desk.hand([.init(device: 1, token: 77, registeredAt: 8)], of: 1)
        #expect(desk.pull(1, for: EngineDesk.sandbox).isEmpty)
        #expect(desk.pull(1).tokens == [77])
    }

    @Test func whoseEnvironmentHasChangedInLineGoesToTheNewOne() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        change(&desk, 1)
        #expect(desk.pull(1).words == ["1>2"])
        desk.hand([.init(device: 1, environment: .sandbox), .init(device: 2)], of: 1)
        #expect(desk.pull(9).isEmpty)
        #expect(desk.pull(9, for: EngineDesk.sandbox).words == ["1>1"])
    }

    @Test func whoStandsInLineWhenThePageIsReadForAnotherGoesWhereItSays() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        change(&desk, 1)
        // The page is read again for the first; the second is given back meanwhile and stands in line.
        desk.complete(desk.pull(1), .notProcessed)
        desk.hand([.init(device: 1), .init(device: 2, environment: .sandbox)], of: 1)
        #expect(desk.pull(9).words == ["1>1"])
        #expect(desk.pull(9, for: EngineDesk.sandbox).words == ["1>2"])
    }

    @Test(arguments: [true, false]) func withoutTheOtherEnvironmentTheTokenIsBad(_ isStopped: Bool) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), Self.bad)
        if isStopped {
            desk.engine.poolStopped(EngineDesk.sandbox, at: desk.now)
        } else {
            desk.engine.routesChanged(Routes([EngineDesk.app: [.production: EngineDesk.production]]), at: desk.now)
        }
        #expect(entries(&desk) == [.init(position: 0, outcome: .badToken)])
    }

    // MARK: The breaker

    @Test func aStormOfBadTokensQuarantinesNobodyUntilItIsOver() {
        var desk = EngineDesk(routes: Routes([EngineDesk.app: [.production: EngineDesk.production]]))
        desk.send(EngineDesk.entry(1), to: 1...4_000)
        desk.complete(desk.pull(49), Self.bad)
        var effects = desk.write()
        #expect(effects.alarms.isEmpty)
        #expect(effects.records.flatMap(\.entries).allSatisfy { $0.death != nil })

        desk.complete(desk.pull(100), Self.bad)
        effects = desk.write()
        #expect(effects.alarms == [.badTokens(EngineDesk.app, .production, isOver: false)])
        #expect(effects.records.flatMap(\.entries).allSatisfy { $0.outcome == .badToken && $0.death == nil })

        while effects.alarms.isEmpty || effects.alarms.contains(.badTokens(EngineDesk.app, .production, isOver: false))
        {
            let good = desk.pull(100)
            if good.isEmpty { break }
            desk.complete(good, .delivered)
            effects = desk.write()
        }
        #expect(effects.alarms == [.badTokens(EngineDesk.app, .production, isOver: true)])
        desk.complete(desk.pull(1), Self.bad)
        #expect(entries(&desk).map { $0.death != nil } == [true])
    }

    // MARK: Silent pushes

    @Test func aDeviceHasOneSilentPushOnItsWayAtATime() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, .background), to: 1...1)
        desk.send(EngineDesk.entry(2, .background), to: 1...1)
        let first = desk.pull(9)
        #expect(first.words == ["1>1"])
        desk.advance(1_000)
        #expect(desk.pull(9).isEmpty)
        desk.complete(first, .unknown)
        desk.advance(1_000)
        desk.hand([.init(device: 1)], of: 2)
        #expect(desk.pull(1).count == 1)
        #expect(desk.pull(1).isEmpty)
    }

    @Test func aPageThatWasReadBeforeASilentPushWasOnDiskIsReadAgain() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, .background), to: 1...1)
        desk.send(EngineDesk.entry(2, .background), to: 1...1)
        let first = desk.pull(1)
        desk.complete(first, .delivered)
        let second = desk.write()
        #expect(second.records.flatMap(EngineDesk.words) == ["1.0: 0 delivered"])
        #expect(desk.pull(1).isEmpty)
        // Only the disk knows what the budget is now.
        desk.hand([.init(device: 1, ending: .overBudget)], of: 2)
        #expect(desk.write().records.flatMap(EngineDesk.words) == ["2.0: 0 over-budget"])
    }

    @Test func aSilentPushIsOverAlsoForWhoIsNotInThePageAnyMore() throws {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, .background, isLive: true), at: desk.now)
        desk.hand([.init(device: 1), .init(device: 2)], of: 1)
        let first = desk.pull(1)
        change(&desk, 2)
        #expect(desk.pull(1).isEmpty)
        // The first has left the audience meanwhile, and no record had fixed the page.
        desk.hand([.init(device: 2)], of: 1, from: 1)
        desk.complete(first, .delivered)
        _ = desk.write()
        desk.send(EngineDesk.entry(2, .background), to: 1...1)
        #expect(desk.pull(9).words.contains("2>1"))
    }

    // MARK: Replays

    @Test func whatIsNeverProcessedIsChargedAtLast() {
        var limits = DeliveryEngine.Limits()
        limits.replays = 3
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1), to: 1...1)
        for _ in 1...2 { desk.complete(desk.pull(1), .notProcessed) }
        #expect(desk.records().isEmpty)
        desk.complete(desk.pull(1), .notProcessed)
        #expect(desk.records() == ["1.0: 0 waits after 1"])
    }

    @Test func afterEverybodyHasChangedEveryPageIsReadAgain() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        desk.engine.everybodyChanged()
        #expect(desk.pull(9).isEmpty)
        desk.hand([.init(device: 1), .init(device: 2, ending: .muted)], of: 1)
        #expect(desk.pull(9).words == ["1>1"])
        #expect(desk.records() == ["1.0: 1 muted"])
    }
}
