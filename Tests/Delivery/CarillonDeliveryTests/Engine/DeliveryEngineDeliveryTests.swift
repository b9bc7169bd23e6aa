import CarillonCore
import CarillonDelivery
import Testing

/// Deliveries from acceptance to outcome, and their order.
///
/// ``EngineHarness`` explains `1>7` and `1.0: 3 delivered`.
struct DeliveryEngineDeliveryTests {
    @Test func aMessageIsReadPulledAnsweredAndRecorded() {
        var harness = EngineHarness()
        #expect(harness.engine.takeActions().messageReads.isEmpty)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.pageReads.map(\.page) == [0])
        #expect(actions.pageReads.map(\.isNext) == [true])
        #expect(actions.poolsToWake == [])

        harness.engine.pageRead(
            EngineHarness.page(10...12, of: 1, isLast: true), for: actions.pageReads[0], at: harness.now)
        #expect(harness.engine.takeActions().poolsToWake == [PoolKey.production])
        let services = [PoolKey.production, PoolKey.sandbox]
        #expect(services.map { harness.engine.hasWork(for: $0) } == [true, false])

        let (first, second, third) = (harness.pull(2), harness.pull(2), harness.pull(2))
        #expect([first, second, third].map(\.transcript) == [["1>10", "1>11"], ["1>12"], []])
        #expect(harness.engine.inFlight == 3)
        #expect(!harness.engine.hasWork(for: PoolKey.production))

        harness.complete(second, .delivered)
        let early = harness.records()
        harness.complete(first, .delivered)
        let (late, last) = (harness.records(), harness.records())
        #expect([early, late, last] == [["1.0: 2 delivered"], ["1.0: 0 delivered", "1.0: 1 delivered"], []])
        #expect(harness.engine.inFlight == 0)
        #expect(harness.engine.deadline == nil)
    }

    @Test func recipientsThatCannotBeSentToEndAtOnce() {
        var harness = EngineHarness(routes: Routes([EngineHarness.app: [.apnsProduction: PoolKey.production]]))
        harness.send(
            .message(1),
            to: [
                .init(finalOutcome: .unregistered), .init(device: 2, finalOutcome: .unregistered),
                .init(device: 3, finalOutcome: .quarantined),
                .init(device: 4, finalOutcome: .wrongKind), .init(device: 5, environment: .sandbox), .init(device: 6),
            ])
        #expect(
            harness.records() == [
                "1.0: 0 unregistered", "1.0: 1 unregistered", "1.0: 2 quarantined", "1.0: 3 wrong-kind",
                "1.0: 4 no-credential",
            ])
        #expect(harness.pull(9).transcript == ["1>6"])
    }

    @Test(arguments: [
        (Verdict.refused(.payloadTooLarge, deadSince: nil), Outcome.payloadTooLarge),
        (.refused(.refused, deadSince: nil), .refused), (.delivered, .delivered),
    ])
    func aFinalAnswerIsTheOutcome(_ verdict: Verdict, _ outcome: Outcome) {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), verdict)
        #expect(harness.records() == ["1.0: 0 \(outcome)"])
    }

    @Test func aDeadTokenIsRecordedWithTheRegistrationItWasReadFrom() {
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

    @Test func environmentsHavePoolsOfTheirOwn() {
        var harness = EngineHarness()
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>2"])
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func theInteractiveLaneGoesFirst() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...3)
        #expect(harness.pull(1).transcript == ["1>1"])
        harness.send(.message(2), to: 8...9)
        #expect(harness.pull(9).transcript == ["2>8", "2>9", "1>2", "1>3"])
    }

    @Test func messagesOfOneLaneAlternate() {
        var limits = DeliveryEngine.Limits()
        limits.deliveriesPerTurn = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...5)
        harness.send(.message(2), to: 6...7)
        harness.send(.message(3), to: 8...8)
        #expect(harness.pull(99).transcript == ["1>1", "1>2", "2>6", "2>7", "3>8", "1>3", "1>4", "1>5"])
    }

    @Test func pagesOfAMessageFollowEachOther() throws {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        for page: UInt32 in 0...1 {
            let reads = harness.engine.takeActions().pageReads
            #expect(reads.map(\.page) == [page])
            let device = UInt64(page)
            harness.engine.pageRead(EngineHarness.page(device...device, of: 1, page), for: reads[0], at: harness.now)
        }
        #expect(harness.engine.takeActions().pageReads.isEmpty)

        harness.complete(harness.pull(1), .delivered)
        let read = try #require(harness.takeActions().pageReads.first)
        #expect(read.page == 2)
        // Pages without a pending recipient are skipped.
        harness.engine.pageRead(EngineHarness.page(7...7, of: 1, 5, isLast: true), for: read, at: harness.now)
        harness.complete(harness.pull(2), .delivered)
        #expect(harness.records() == ["1.1: 0 delivered", "1.5: 0 delivered"])
        #expect(harness.engine.takeActions().pageReads.isEmpty)
    }

    @Test func aPageThatOnlyWaitsDoesNotHoldBackTheNext() {
        var limits = DeliveryEngine.Limits()
        limits.pagesPerMessage = 1
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        harness.engine.pageRead(EngineHarness.page(1...1, of: 1), for: read, at: harness.now)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.engine.takeActions().pageReads.map(\.page) == [1])
    }

    @Test func answersThatDoNotComeDoNotHoldBackTheNextPage() throws {
        var limits = DeliveryEngine.Limits()
        limits.pagesPerMessage = 1
        limits.recipientsPerPage = 10
        limits.recipients = 80
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(.message(1, lane: .bulk), at: harness.now)
        for page: UInt32 in 0..<4 {
            let read = try #require(harness.engine.takeActions().pageReads.first)
            #expect(read.page == page)
            harness.engine.pageRead(EngineHarness.page(1...10, of: 1, page), for: read, at: harness.now)
            #expect(harness.engine.takeActions().pageReads.isEmpty, "a recipient is ready")
            #expect(harness.pull(99).count == 10)
        }
        #expect(harness.engine.takeActions().pageReads.isEmpty, "half of the memory is taken")
    }

    @Test func anUnreadablePageEndsNoRecipient() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        harness.engine.pageRead(nil, for: read, at: harness.now)
        #expect(harness.records().isEmpty)
        #expect(harness.pull(1).isEmpty)
    }

    @Test func anAnswerWithoutADeliveryIsIgnored() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let deliveries = harness.pull(1)
        harness.complete(deliveries, .delivered)
        #expect(harness.records() == ["1.0: 0 delivered"])
        harness.complete(deliveries, .delivered)
        #expect(harness.records().isEmpty)
    }

    @Test func afterStopNothingIsHandedOutAndAnswersAreStillTaken() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        harness.pageRead([.init(device: 1), .init(device: 2)], of: 1, isLast: false)
        let deliveries = harness.pull(1)
        harness.engine.stop()
        #expect(harness.pull(9).isEmpty)
        #expect(!harness.engine.hasWork(for: PoolKey.production))
        harness.complete(deliveries, .delivered)
        let actions = harness.engine.takeActions()
        #expect(actions.records.transcript == ["1.0: 0 delivered"])
        #expect(actions.pageReads.isEmpty)
        #expect(actions.messageReads.isEmpty)
    }
}
