import CarillonCore
import CarillonDelivery
import Testing

/// What people decide of a message while it is sent.
@Suite struct EngineSteeringTests {
    private let first = MessageID(rawValue: 1)

    // MARK: Cancelled

    @Test func whatIsCancelledEndsAndWhatIsInFlightKeepsItsAnswer() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        desk.hand([.init(device: 1), .init(device: 2), .init(device: 3)], of: 1, isLast: false)
        let first = desk.pull(1)
        let second = desk.pull(1)
        desk.engine.cancel(self.first, at: desk.now)
        #expect(desk.pull(9).isEmpty)
        desk.complete(first, .delivered)
        desk.complete(second, .unknown)
        let effects = desk.write()
        #expect(
            effects.records.flatMap(EngineDesk.words) == ["1.0: 2 cancelled", "1.0: 0 delivered", "1.0: 1 cancelled"])

        // Pages that were not read yet are read for their ends.
        let read = effects.reads.first ?? desk.engine.takeEffects().reads[0]
        desk.engine.pageRead(EngineDesk.page(8...9, of: 1, 1, isLast: true), read, at: desk.now)
        #expect(desk.write().records.flatMap(EngineDesk.words) == ["1.1: 0 cancelled", "1.1: 1 cancelled"])
        #expect(desk.engine.load.messages == 0)
    }

    @Test func aPageThatIsAsleepIsReadForItsEndWhenItsMessageIsCancelled() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), .tryLater(.tokenThrottled, afterMilliseconds: nil))
        _ = desk.write()
        #expect(desk.engine.load.asleep == 1)
        desk.engine.cancel(first, at: desk.now)
        desk.hand([.init(device: 1, attempts: 1, dueAt: .init(milliseconds: .max))], of: 1)
        #expect(desk.write().records.flatMap(EngineDesk.words) == ["1.0: 0 cancelled"])
        #expect(desk.engine.load.messages == 0)
        #expect(desk.engine.load.asleep == 0)
    }

    // MARK: Paused

    @Test func whatIsPausedLeavesTheMemoryAndComesBack() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...3)
        desk.engine.pause(first, at: desk.now)
        #expect(desk.pull(9).isEmpty)
        #expect(desk.engine.load.messages == 0)
        #expect(desk.engine.load.recipients == 0)
        #expect(desk.records().isEmpty, "they stay pending in the outbox")

        desk.send(EngineDesk.entry(1), to: 1...3)
        #expect(desk.pull(9).words == ["1>1", "1>2", "1>3"])
    }

    @Test func whatIsResumedBeforeItHadLeftComesBackWhenItHas() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let deliveries = desk.pull(1)
        desk.engine.pause(first, at: desk.now)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        #expect(desk.pull(9).isEmpty)
        desk.complete(deliveries, .delivered)
        #expect(desk.write().records.flatMap(EngineDesk.words) == ["1.0: 0 delivered"])
        desk.hand([.init(device: 2)], of: 1)
        #expect(desk.pull(9).words == ["1>2"])
    }

    @Test func aPageThatIsReadWhileItsMessageIsPausedDoesNotStay() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.complete(desk.pull(1), .unknown)
        _ = desk.write()
        desk.advance(1_000)
        let read = desk.engine.takeEffects().reads[0]
        desk.engine.pause(first, at: desk.now)
        // Not due yet, for the wall clock was set back: nothing of it may stay for that.
        let later = desk.now.wall.advanced(byMilliseconds: 5_000)
        desk.engine.pageRead(
            EngineDesk.page([.init(device: 1, attempts: 1, dueAt: later)], of: 1), read, at: desk.now)
        #expect(desk.engine.load.messages == 0)
        #expect(desk.engine.load.asleep == 0)
    }

    @Test func whatWasPausedAndIsCancelledBeforeItHadLeftEnds() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let deliveries = desk.pull(1)
        desk.engine.pause(first, at: desk.now)
        desk.engine.cancel(first, at: desk.now)
        desk.complete(deliveries, .delivered)
        _ = desk.write()
        desk.hand([.init(device: 2)], of: 1, from: 1)
        #expect(desk.records() == ["1.0: 1 cancelled"])
    }

    // MARK: Paced

    /// How many were handed out in each second, if connections ask every 10 ms.
    private func rates(_ desk: inout EngineDesk, seconds: Int) -> [Int] {
        (0..<seconds).map { _ in
            (0..<100).reduce(0) { count, _ in
                desk.advance(10)
                let deliveries = desk.pull(1_000)
                desk.complete(deliveries, .delivered)
                _ = desk.write()
                return count + deliveries.count
            }
        }
    }

    @Test func aPaceIsKeptAndCanBeChanged() {
        var limits = DeliveryEngine.Limits()
        limits.pacedRecipients = 1_000
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, pace: 50), to: 1...1_000)
        #expect(desk.pull(1_000).count == 5, "a tenth of a second's worth at once")
        #expect(rates(&desk, seconds: 3) == [50, 50, 50])
        desk.engine.setPace(10, of: first, at: desk.now)
        let slow = rates(&desk, seconds: 3)
        #expect(slow.allSatisfy { (10...11).contains($0) }, "\(slow)")
        desk.engine.setPace(nil, of: first, at: desk.now)
        #expect(rates(&desk, seconds: 1) == [1_000 - 5 - 150 - slow.reduce(0, +)])
    }

    @Test func aTurnThatEndsWithThePaceIsNotTheLast() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1, pace: 10), to: 1...2)
        // The connection had room for one, and the pace allowed one: both are used up at once.
        #expect(desk.pull(1).words == ["1>1"])
        #expect(desk.engine.deadline == desk.now.uptimeMilliseconds + 100)
        desk.advance(100)
        #expect(desk.pull(1).words == ["1>2"])
    }

    // MARK: While the outbox is read

    enum Decision: CaseIterable {
        case cancel, pause, pace
    }

    @Test(arguments: Decision.allCases) func aDecisionHoldsForWhatAReadingBringsThatHasNotSeenIt(_ decision: Decision) {
        var desk = EngineDesk()
        desk.engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        desk.engine.queuesRead([EngineDesk.queue])
        _ = desk.engine.takeEffects()
        switch decision {
        case .cancel: desk.engine.cancel(first, at: desk.now)
        case .pause: desk.engine.pause(first, at: desk.now)
        case .pace: desk.engine.setPace(10, of: first, at: desk.now)
        }
        desk.engine.messagesRead([EngineDesk.entry(1)], of: EngineDesk.queue, wasLast: true, at: desk.now)
        let isRead = desk.hand([.init(device: 1), .init(device: 2)], of: 1)
        #expect(isRead == (decision != .pause))
        #expect(desk.pull(9).count == [.cancel: 0, .pause: 0, .pace: 1][decision])
        #expect(desk.records().count == (decision == .cancel ? 2 : 0))
    }

    @Test func whatComesBackWhileTheOutboxIsReadIsNotTakenAsItWasBefore() {
        var desk = EngineDesk()
        desk.engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        desk.engine.queuesRead([EngineDesk.queue])
        _ = desk.engine.takeEffects()
        desk.engine.pause(first, at: desk.now)
        desk.engine.cancel(first, at: desk.now)
        var cancelled = EngineDesk.entry(1)
        cancelled.isCancelled = true
        desk.engine.messageAccepted(cancelled, at: desk.now)
        desk.engine.messagesRead([EngineDesk.entry(1)], of: EngineDesk.queue, wasLast: true, at: desk.now)
        let effects = desk.engine.takeEffects()
        #expect(effects.reads.isEmpty)
        #expect(effects.messages.map(\.after?.rawValue) == [0])
        desk.engine.messagesRead([cancelled], of: EngineDesk.queue, wasLast: true, at: desk.now)
        desk.hand([.init(device: 1)], of: 1)
        #expect(desk.records() == ["1.0: 0 cancelled"])
    }
}
