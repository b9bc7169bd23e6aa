import CarillonCore
import CarillonDelivery
import Testing

/// What is tried again, when, and when no more.
@Suite struct EngineRetryTests {
    @Test(arguments: [Verdict.notProcessed, .credentialRefused])
    func whatWasNotProcessedGoesFirstAndAtOnce(_ verdict: Verdict) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...3)
        // No attempt is charged, so there is no end to this.
        for _ in 0..<50 {
            let deliveries = desk.pull(1)
            #expect(deliveries.words == ["1>1"])
            desk.complete(deliveries, verdict)
            #expect(desk.engine.takeEffects().wake == [EngineDesk.production])
        }
        #expect(desk.engine.deadline == nil)
    }

    @Test func anUnansweredPushIsTriedAgainAfterAPause() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), .unknown)
        #expect(desk.records() == ["1.0: 0 waits after 1"])
        #expect(desk.pull(1).isEmpty)

        let due = try #require(desk.engine.deadline)
        #expect((desk.now.uptimeMilliseconds + 250...desk.now.uptimeMilliseconds + 500).contains(due))
        desk.advance(due - desk.now.uptimeMilliseconds - 1)
        #expect(desk.pull(1).isEmpty)
        desk.advance(1)
        #expect(desk.engine.deadline == nil)
        #expect(desk.engine.takeEffects().wake == [EngineDesk.production])
        #expect(desk.pull(1).words == ["1>1"])
    }

    @Test(arguments: [
        (Verdict.unknown, 500...1_000 as ClosedRange<UInt64>),
        (.tryLater(.tokenThrottled, afterMilliseconds: nil), 30_000...60_000),
        (.tryLater(.serverBusy, afterMilliseconds: nil), 1_000...2_000),
        (.tryLater(.serverBusy, afterMilliseconds: 7_000), 7_000...7_000),
        (.tryLater(.tokenThrottled, afterMilliseconds: 90_000), 90_000...90_000),
    ])
    func theSecondPauseIsTwiceTheFirst(_ verdict: Verdict, _ pause: ClosedRange<UInt64>) throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), verdict)
        desk.advance(try #require(desk.engine.deadline) - desk.now.uptimeMilliseconds)
        desk.complete(desk.pull(1), verdict)
        #expect(pause.contains(try #require(desk.engine.deadline) - desk.now.uptimeMilliseconds))
    }

    @Test func afterTwelveAttemptsItGivesUp() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        for attempt in 1..<12 {
            desk.complete(desk.pull(1), .unknown)
            #expect(desk.records() == ["1.0: 0 waits after \(attempt)"])
            desk.advance(try #require(desk.engine.deadline) - desk.now.uptimeMilliseconds)
        }
        desk.complete(desk.pull(1), .unknown)
        #expect(desk.records() == ["1.0: 0 gave-up"])
        #expect(desk.engine.deadline == nil)
    }

    @Test(arguments: [
        (PushType.voip, Expiration.unspecified, true), (.pushtotalk, .unspecified, true), (.alert, .once, true),
        (.alert, .unspecified, false), (.voip, .at(seconds: 1_800_000_000), false),
    ])
    func whatIsOfNoUseLaterIsNotTriedLate(_ type: PushType, _ expiration: Expiration, _ isOnce: Bool) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, type, expiration: expiration), to: [.init(device: 1)])
        desk.complete(desk.pull(1), .tryLater(.serverBusy, afterMilliseconds: 40_000))
        #expect(desk.records() == [isOnce ? "1.0: 0 gave-up" : "1.0: 0 waits after 1"])
    }

    @Test func noAttemptStartsAfterNotAfter() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, notAfter: desk.now.wall.milliseconds + 1_000), to: 1...3)
        desk.advance(1_000)
        #expect(desk.pull(1).words == ["1>1"])
        desk.advance(1)
        #expect(desk.pull(1).isEmpty)
        #expect(desk.records() == ["1.0: 1 expired", "1.0: 2 expired"])
    }

    @Test(arguments: [PushType.voip, .pushtotalk]) func aCallThatWaitedTooLongRingsForNobody(_ type: PushType) {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, type), to: [.init(device: 1)])
        desk.advance(30_001)
        #expect(desk.pull(1).isEmpty)
        #expect(desk.records() == ["1.0: 0 expired"])
    }

    @Test func aRefusedCredentialDoesNotHoldTheMemoryOfOthers() {
        let other = PoolKey(environment: .production, credential: "other")
        let routes = Routes([
            EngineDesk.app: [.production: EngineDesk.production], EngineDesk.otherApp: [.production: other],
        ])
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        var desk = EngineDesk(routes: routes, limits: limits)
        for id in 1...3 as ClosedRange<UInt64> { desk.send(EngineDesk.entry(id), to: 1...2) }
        let tried = desk.pull(1)
        desk.engine.poolStopped(EngineDesk.production, at: desk.now)
        desk.complete(tried, .credentialRefused)
        #expect(desk.pull(10).isEmpty)
        #expect(desk.records().isEmpty, "they stay pending in the outbox")
        #expect(desk.engine.load.messages == 0)

        // Others are sent, and what comes for the refused one takes no room.
        for id in 4...9 as ClosedRange<UInt64> { desk.send(EngineDesk.entry(id), to: 1...2) }
        #expect(desk.engine.load.messages == 0)
        desk.send(EngineDesk.entry(10, app: EngineDesk.otherApp), to: 1...1)
        #expect(desk.pull(10, for: other).words == ["10>1"])
    }

    @Test func withoutAConnectionItExpiresAllTheSame() {
        var desk = EngineDesk()
        let end = desk.now.wall.milliseconds + 1_000
        desk.send(
            EngineDesk.entry(1, notAfter: end), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        desk.engine.expirePassed(at: desk.now)
        #expect(desk.records().isEmpty)
        desk.advance(1_001)
        desk.engine.expirePassed(at: desk.now)
        #expect(desk.records().sorted() == ["1.0: 0 expired", "1.0: 1 expired"])
    }

    @Test func whatExpiresWithoutAConnectionDoesNotGatherInLine() {
        var desk = EngineDesk()
        for id in 1...1_000 as ClosedRange<UInt64> {
            desk.send(EngineDesk.entry(id, notAfter: desk.now.wall.milliseconds), to: 1...1)
            desk.advance(1)
            desk.engine.expirePassed(at: desk.now)
            #expect(desk.write().records.flatMap(EngineDesk.words) == ["\(id).0: 0 expired"])
            #expect(desk.engine.load.pagesInLine <= 64)
        }
    }

    @Test func whoMakesTheLineBeTidiedUpStaysInIt() {
        var desk = EngineDesk()
        for id in 1...64 as ClosedRange<UInt64> {
            desk.send(EngineDesk.entry(id), to: 1...1)
            desk.engine.cancel(MessageID(rawValue: id), at: desk.now)
            _ = desk.write()
        }
        #expect(desk.engine.load.pagesInLine == 64)
        desk.send(EngineDesk.entry(65), to: 1...1)
        #expect(desk.engine.load.pagesInLine == 1)
        #expect(desk.pull(9).words == ["65>1"])
    }

    @Test func whatIsInFlightWhenTheTimePassesKeepsItsAnswer() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, notAfter: desk.now.wall.milliseconds), to: 1...1)
        let deliveries = desk.pull(1)
        desk.advance(1)
        desk.engine.expirePassed(at: desk.now)
        #expect(desk.records().isEmpty)
        desk.complete(deliveries, .delivered)
        #expect(desk.records() == ["1.0: 0 delivered"])
    }

    @Test(arguments: [
        (Expiration.unspecified, 10_000 as UInt64?), (.at(seconds: 1_790_000_010), nil),
        (.at(seconds: 1_790_000_010), 60_000),
    ])
    func noRetryIsPlannedForATimeThatIsTooLate(_ expiration: Expiration, _ notAfter: UInt64?) {
        var desk = EngineDesk()
        let end = notAfter.map { desk.now.wall.milliseconds + $0 }
        desk.send(EngineDesk.entry(1, expiration: expiration, notAfter: end), to: 1...2)
        desk.complete(desk.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_000))
        #expect(desk.records() == ["1.0: 0 waits after 1"])
        desk.complete(desk.pull(1), .tryLater(.serverBusy, afterMilliseconds: 10_001))
        #expect(desk.records() == ["1.0: 1 expired"])
    }

    @Test func anExpirationBeyondTheClockDoesNotOverflow() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, expiration: .at(seconds: .max), notAfter: .max), to: 1...1)
        desk.complete(desk.pull(1), .unknown)
        #expect(desk.engine.deadline != nil)
    }
}
