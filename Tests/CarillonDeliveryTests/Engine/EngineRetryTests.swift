import CarillonCore
import CarillonDelivery
import Testing

/// Retries: which attempts are repeated, when, and until when.
struct EngineRetryTests {
    @Test func unprocessedPushGoesFirstAndAtOnce() {
        var limits = DeliveryEngine.Limits()
        limits.unprocessedReturns = 100
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1), to: 1...3)
        // No attempt is charged, so there is no end to this.
        for _ in 0..<50 {
            let deliveries = harness.pull(1)
            #expect(deliveries.transcript == ["1>1"])
            harness.complete(deliveries, .notProcessed)
            #expect(harness.engine.takeActions().wake == [EngineHarness.production])
        }
        #expect(harness.engine.deadline == nil)
    }

    @Test func anUnansweredPushIsTriedAgainAfterAPause() throws {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: 1...1)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.records() == ["1.0: 0 waits after 1"])
        #expect(harness.pull(1).isEmpty)

        let due = try #require(harness.engine.deadline)
        #expect((harness.now.uptime + 250...harness.now.uptime + 500).contains(due))
        harness.advance(due - harness.now.uptime - 1)
        #expect(harness.pull(1).isEmpty)
        harness.advance(1)
        #expect(harness.engine.deadline == nil)
        #expect(harness.engine.takeActions().wake == [EngineHarness.production])
        #expect(harness.pull(1).transcript == ["1>1"])
    }

    /// The milliseconds before the second and before the third attempt of a push that always ends with `verdict`.
    private func pauses(after verdict: Verdict) throws -> [UInt64] {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: 1...1)
        return try (0..<2).map { _ in
            harness.complete(harness.pull(1), verdict)
            let pause = try #require(harness.engine.deadline) - harness.now.uptime
            harness.advance(pause)
            return pause
        }
    }

    @Test(arguments: [
        (Verdict.unknown, 250...500 as ClosedRange<UInt64>),
        (.tryLater(.tokenThrottled, afterMilliseconds: nil), 15_000...30_000),
        (.tryLater(.serverBusy, afterMilliseconds: nil), 500...1_000),
    ])
    func theBoundsOfTheSecondPauseAreTwiceThoseOfTheFirst(_ verdict: Verdict, _ first: ClosedRange<UInt64>) throws {
        let pauses = try pauses(after: verdict)
        #expect(first.contains(pauses[0]))
        #expect((2 * first.lowerBound...2 * first.upperBound).contains(pauses[1]))
    }

    @Test(arguments: [(Verdict.TryLater.serverBusy, 7_000), (.tokenThrottled, 90_000)] as [(Verdict.TryLater, UInt64)])
    func aTimeThatAPNsNamesIsKept(_ reason: Verdict.TryLater, _ asked: UInt64) throws {
        #expect(try pauses(after: .tryLater(reason, afterMilliseconds: asked)) == [asked, asked])
    }

    @Test func whatWasHeldBackWaitsAsLongEachTimeAndIsNoAttempt() throws {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: 1...2)
        // The other push is under way all the time, so the page stays in memory.
        var held = try #require(harness.pull(2).first)
        var pauses: Set<UInt64> = []
        for _ in 0..<100 {
            harness.complete([held], .tryLater(.heldBack, afterMilliseconds: 10_000))
            let pause = try #require(harness.engine.deadline) - harness.now.uptime
            pauses.insert(pause)
            harness.advance(pause)
            held = try #require(harness.pull(2).first)
        }
        #expect(pauses.allSatisfy { (10_000...12_500).contains($0) })
        #expect(harness.records() == [])
        harness.complete([held], .delivered)
        #expect(harness.records() == ["1.0: 0 delivered"])
    }

    @Test func recipientFailsAfterTwelveAttempts() throws {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1), to: 1...1)
        for attempt in 1..<12 {
            harness.complete(harness.pull(1), .unknown)
            #expect(harness.records() == ["1.0: 0 waits after \(attempt)"])
            harness.advance(try #require(harness.engine.deadline) - harness.now.uptime)
        }
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.records() == ["1.0: 0 gave-up"])
        #expect(harness.engine.deadline == nil)
    }

    @Test(arguments: [
        (PushType.voip, Expiration.unspecified, true), (.pushtotalk, .unspecified, true), (.alert, .once, true),
        (.alert, .unspecified, false), (.voip, .at(seconds: 1_800_000_000), false),
    ])
    func aPushThatIsOfUseOnlyNowIsNotRetriedLate(_ type: PushType, _ expiration: Expiration, _ isOnce: Bool) {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1, type, expiration: expiration), to: [.init(device: 1)])
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 40_000))
        #expect(harness.records() == [isOnce ? "1.0: 0 gave-up" : "1.0: 0 waits after 1"])
    }

    @Test func noAttemptStartsAfterNotAfter() {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1, notAfter: harness.now.wall.milliseconds + 1_000), to: 1...3)
        harness.advance(1_000)
        #expect(harness.pull(1).transcript == ["1>1"])
        harness.advance(1)
        #expect(harness.pull(1).isEmpty)
        #expect(harness.records() == ["1.0: 1 expired", "1.0: 2 expired"])
    }

    @Test(arguments: [PushType.voip, .pushtotalk]) func callThatHasWaitedTooLongExpires(_ type: PushType) {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1, type), to: [.init(device: 1)])
        harness.advance(30_001)
        #expect(harness.pull(1).isEmpty)
        #expect(harness.records() == ["1.0: 0 expired"])
    }

    @Test func aRefusedCredentialDoesNotHoldTheMemoryOfOthers() {
        let other = PoolKey(destination: .apnsProduction, credential: "other")
        let routes = Routes([
            EngineHarness.app: [.apnsProduction: EngineHarness.production],
            EngineHarness.otherApp: [.apnsProduction: other],
        ])
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        var harness = EngineHarness(routes: routes, limits: limits)
        for id in 1...3 as ClosedRange<UInt64> { harness.send(EngineHarness.entry(id), to: 1...2) }
        let tried = harness.pull(1)
        harness.refuseCredential()
        harness.complete(tried, .credentialRefused)
        #expect(harness.pull(10).isEmpty)
        let record = harness.write().records.first
        #expect(record?.entries.isEmpty == true, "they stay pending in the outbox")
        #expect(record?.delays.isEmpty == true, "they stay pending in the outbox")
        #expect(harness.engine.load.messages == 0)

        // Others are sent, and what comes for the refused one takes no room.
        for id in 4...9 as ClosedRange<UInt64> { harness.send(EngineHarness.entry(id), to: 1...2) }
        #expect(harness.engine.load.messages == 0)
        harness.send(EngineHarness.entry(10, app: EngineHarness.otherApp), to: 1...1)
        #expect(harness.pull(10, for: other).transcript == ["10>1"])
    }

    @Test func messageExpiresWithoutAConnection() {
        var harness = EngineHarness()
        let end = harness.now.wall.milliseconds + 1_000
        harness.send(
            EngineHarness.entry(1, notAfter: end), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().isEmpty)
        harness.advance(1_001)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().sorted() == ["1.0: 0 expired", "1.0: 1 expired"])
    }

    @Test func expiredRecipientsDoNotAccumulateInQueues() {
        var harness = EngineHarness()
        for id in 1...1_000 as ClosedRange<UInt64> {
            harness.send(EngineHarness.entry(id, notAfter: harness.now.wall.milliseconds), to: 1...1)
            harness.advance(1)
            harness.engine.expirePassed(at: harness.now)
            #expect(harness.write().records.flatMap(EngineHarness.transcript) == ["\(id).0: 0 expired"])
            #expect(harness.engine.load.queuedPages <= 64)
        }
    }

    @Test func pageThatTriggersCompactionStaysInTheQueue() {
        var harness = EngineHarness()
        for id in 1...64 as ClosedRange<UInt64> {
            harness.send(EngineHarness.entry(id), to: 1...1)
            harness.engine.cancel(MessageID(rawValue: id), at: harness.now)
            _ = harness.write()
        }
        #expect(harness.engine.load.queuedPages == 64)
        harness.send(EngineHarness.entry(65), to: 1...1)
        #expect(harness.engine.load.queuedPages == 1)
        #expect(harness.pull(9).transcript == ["65>1"])
    }

    @Test func pushInFlightAtExpiryKeepsItsAnswer() {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1, notAfter: harness.now.wall.milliseconds), to: 1...1)
        let deliveries = harness.pull(1)
        harness.advance(1)
        harness.engine.expirePassed(at: harness.now)
        #expect(harness.records().isEmpty)
        harness.complete(deliveries, .delivered)
        #expect(harness.records() == ["1.0: 0 delivered"])
    }

    @Test(arguments: [
        (Expiration.unspecified, 10_000 as UInt64?), (.at(seconds: 1_790_000_010), nil),
        (.at(seconds: 1_790_000_010), 60_000),
    ])
    func noRetryIsPlannedForATimeThatIsTooLate(_ expiration: Expiration, _ notAfter: UInt64?) {
        var harness = EngineHarness()
        let end = notAfter.map { harness.now.wall.milliseconds + $0 }
        harness.send(EngineHarness.entry(1, expiration: expiration, notAfter: end), to: 1...2)
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_000))
        #expect(harness.records() == ["1.0: 0 waits after 1"])
        harness.complete(harness.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_001))
        #expect(harness.records() == ["1.0: 1 expired"])
    }

    @Test func anExpirationBeyondTheClockDoesNotOverflow() {
        var harness = EngineHarness()
        harness.send(EngineHarness.entry(1, expiration: .at(seconds: .max), notAfter: .max), to: 1...1)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.engine.deadline != nil)
    }
}
