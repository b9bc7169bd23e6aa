import CarillonCore
import CarillonDelivery
import Testing

/// From acceptance to outcome, and who goes first.
@Suite struct EngineDeliveryTests {
    @Test func aMessageIsReadPulledAnsweredAndRecorded() {
        var desk = EngineDesk()
        #expect(desk.engine.takeEffects().messages.isEmpty)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        let effects = desk.engine.takeEffects()
        #expect(effects.reads.map(\.page) == [0])
        #expect(effects.reads.map(\.isNext) == [true])
        #expect(effects.wake.isEmpty)

        desk.engine.pageRead(EngineDesk.page(10...12, of: 1, isLast: true), effects.reads[0], at: desk.now)
        #expect(desk.engine.takeEffects().wake == [EngineDesk.production])
        #expect(desk.engine.hasWork(for: EngineDesk.production))
        #expect(!desk.engine.hasWork(for: EngineDesk.sandbox))

        let first = desk.pull(2)
        #expect(first.words == ["1>10", "1>11"])
        let second = desk.pull(2)
        #expect(second.words == ["1>12"])
        #expect(desk.pull(2).isEmpty)
        #expect(desk.engine.inFlight == 3)
        #expect(!desk.engine.hasWork(for: EngineDesk.production))

        desk.complete(second, .delivered)
        #expect(desk.records() == ["1.0: 2 delivered"])
        desk.complete(first, .delivered)
        #expect(desk.records() == ["1.0: 0 delivered", "1.0: 1 delivered"])
        #expect(desk.engine.inFlight == 0)
        #expect(desk.records().isEmpty)
        #expect(desk.engine.deadline == nil)
    }

    @Test func whoCannotBeSentToEndsAtOnce() {
        var desk = EngineDesk(routes: Routes([EngineDesk.app: [.production: EngineDesk.production]]))
        desk.send(
            EngineDesk.entry(1),
            to: [
                .init(ending: .unregistered), .init(device: 2, ending: .unregistered),
                .init(device: 3, ending: .quarantined),
                .init(device: 4, ending: .wrongKind), .init(device: 5, environment: .sandbox), .init(device: 6),
            ])
        #expect(
            desk.records() == [
                "1.0: 0 unregistered", "1.0: 1 unregistered", "1.0: 2 quarantined", "1.0: 3 wrong-kind",
                "1.0: 4 no-credential",
            ])
        #expect(desk.pull(9).words == ["1>6"])
    }

    @Test(arguments: [
        (Verdict.refused(.payloadTooLarge, deadSince: nil), Outcome.payloadTooLarge),
        (.refused(.refused, deadSince: nil), .refused), (.delivered, .delivered),
    ])
    func anAnswerForGoodIsTheOutcome(_ verdict: Verdict, _ outcome: Outcome) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), verdict)
        #expect(desk.records() == ["1.0: 0 \(outcome)"])
    }

    @Test func aDeadTokenIsRecordedWithTheRegistrationItWasReadFrom() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        let since = Timestamp(milliseconds: 99)
        desk.complete(desk.pull(1), .refused(.tokenUnregistered, deadSince: since))
        let death = OutcomeRecord.TokenDeath(since: since, registeredAt: Timestamp(milliseconds: 7))
        #expect(
            desk.engine.takeEffects().records.map(\.entries) == [
                [OutcomeRecord.Entry(position: 0, outcome: .tokenUnregistered, death: death)]
            ])
    }

    @Test func environmentsHavePoolsOfTheirOwn() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        #expect(desk.pull(9, for: EngineDesk.sandbox).words == ["1>2"])
        #expect(desk.pull(9).words == ["1>1"])
    }

    @Test func theInteractiveLaneGoesFirst() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, lane: .bulk), to: 1...3)
        #expect(desk.pull(1).words == ["1>1"])
        desk.send(EngineDesk.entry(2), to: 8...9)
        #expect(desk.pull(9).words == ["2>8", "2>9", "1>2", "1>3"])
    }

    @Test func messagesOfOneLaneTakeTurns() {
        var limits = DeliveryEngine.Limits()
        limits.turn = 2
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1), to: 1...5)
        desk.send(EngineDesk.entry(2), to: 6...7)
        desk.send(EngineDesk.entry(3), to: 8...8)
        #expect(desk.pull(99).words == ["1>1", "1>2", "2>6", "2>7", "3>8", "1>3", "1>4", "1>5"])
    }

    @Test func pagesOfAMessageFollowEachOther() throws {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        for page: UInt32 in 0...1 {
            let reads = desk.engine.takeEffects().reads
            #expect(reads.map(\.page) == [page])
            let device = UInt64(page)
            desk.engine.pageRead(EngineDesk.page(device...device, of: 1, page), reads[0], at: desk.now)
        }
        #expect(desk.engine.takeEffects().reads.isEmpty)

        desk.complete(desk.pull(1), .delivered)
        let read = try #require(desk.write().reads.first)
        #expect(read.page == 2)
        // Pages in which nobody is pending are passed over.
        desk.engine.pageRead(EngineDesk.page(7...7, of: 1, 5, isLast: true), read, at: desk.now)
        desk.complete(desk.pull(2), .delivered)
        #expect(desk.records() == ["1.1: 0 delivered", "1.5: 0 delivered"])
        #expect(desk.engine.takeEffects().reads.isEmpty)
    }

    @Test func aPageThatOnlyWaitsDoesNotHoldBackTheNext() {
        var limits = DeliveryEngine.Limits()
        limits.pagesPerMessage = 1
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        let read = desk.engine.takeEffects().reads[0]
        desk.engine.pageRead(EngineDesk.page(1...1, of: 1), read, at: desk.now)
        desk.complete(desk.pull(1), .unknown)
        #expect(desk.engine.takeEffects().reads.map(\.page) == [1])
    }

    @Test func answersThatDoNotComeDoNotHoldBackTheNextPage() throws {
        var limits = DeliveryEngine.Limits()
        limits.pagesPerMessage = 1
        limits.recipientsPerPage = 10
        limits.recipients = 80
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1, lane: .bulk), at: desk.now)
        for page: UInt32 in 0..<4 {
            let read = try #require(desk.engine.takeEffects().reads.first)
            #expect(read.page == page)
            desk.engine.pageRead(EngineDesk.page(1...10, of: 1, page), read, at: desk.now)
            #expect(desk.engine.takeEffects().reads.isEmpty, "somebody is ready")
            #expect(desk.pull(99).count == 10)
        }
        #expect(desk.engine.takeEffects().reads.isEmpty, "half of the memory is taken")
    }

    @Test func aPageThatIsGoneEndsNothing() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        let read = desk.engine.takeEffects().reads[0]
        desk.engine.pageRead(nil, read, at: desk.now)
        #expect(desk.records().isEmpty)
        #expect(desk.pull(1).isEmpty)
    }

    @Test func anAnswerThatNobodyWaitsForIsIgnored() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let deliveries = desk.pull(1)
        desk.complete(deliveries, .delivered)
        #expect(desk.records() == ["1.0: 0 delivered"])
        desk.complete(deliveries, .delivered)
        #expect(desk.records().isEmpty)
    }

    @Test func afterStopNothingIsHandedOutAndAnswersAreStillTaken() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        desk.hand([.init(device: 1), .init(device: 2)], of: 1, isLast: false)
        let deliveries = desk.pull(1)
        desk.engine.stop()
        #expect(desk.pull(9).isEmpty)
        #expect(!desk.engine.hasWork(for: EngineDesk.production))
        desk.complete(deliveries, .delivered)
        let effects = desk.engine.takeEffects()
        #expect(effects.records.flatMap(EngineDesk.words) == ["1.0: 0 delivered"])
        #expect(effects.reads.isEmpty)
        #expect(effects.messages.isEmpty)
    }
}
