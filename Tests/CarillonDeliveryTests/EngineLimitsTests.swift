import CarillonCore
import CarillonDelivery
import Testing

/// Memory is bounded; what does not fit stays in the outbox and is not lost.
@Suite struct EngineLimitsTests {
    @Test func itBeginsWithWhatTheOutboxHolds() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        let request = try #require(engine.takeEffects().readMessages)
        #expect(request.after == nil)
        #expect(request.limit == 2_048)
        #expect(engine.takeEffects().readMessages == nil, "asked twice")

        let now = EngineDesk().now
        engine.messagesRead([EngineDesk.entry(3), EngineDesk.entry(4)], wasLast: false, at: now)
        let effects = engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [3, 4])
        let more = try #require(effects.readMessages)
        #expect(more.after?.rawValue == 4)
        #expect(more.limit == 2_046)
        engine.messagesRead([], wasLast: true, at: now)
        #expect(engine.takeEffects().readMessages == nil)
    }

    @Test func whatIsAcceptedWhileTheOutboxIsReadIsNotLost() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        let now = EngineDesk().now
        _ = engine.takeEffects()
        engine.messageAccepted(EngineDesk.entry(5), at: now)
        #expect(engine.takeEffects().reads.isEmpty)
        // This reading began before message 5.
        engine.messagesRead([EngineDesk.entry(4)], wasLast: true, at: now)
        #expect(try #require(engine.takeEffects().readMessages).after?.rawValue == 4)
        engine.messagesRead([EngineDesk.entry(5)], wasLast: true, at: now)
        let effects = engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [5])
        #expect(effects.readMessages == nil)
    }

    @Test func whatWasReadAndIsThenToldIsTakenOnce() {
        var desk = EngineDesk(outbox: [EngineDesk.entry(5)])
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [5])
        desk.engine.messageAccepted(EngineDesk.entry(5), at: desk.now)
        #expect(desk.engine.takeEffects().reads.isEmpty)
    }

    @Test func moreMessagesThanFitAreReadFromTheOutboxLater() throws {
        var limits = DeliveryEngine.Limits()
        limits.messages = 2
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...4 { desk.send(EngineDesk.entry(id), to: id...id) }
        #expect(desk.pull(9).words == ["1>1", "2>2"])

        var full = EngineDesk(limits: limits)
        for id: UInt64 in 1...3 { full.send(EngineDesk.entry(id), to: id...id) }
        full.complete(full.pull(1), .delivered)
        let request = try #require(full.engine.takeEffects().readMessages)
        #expect(request.after?.rawValue == 2)
        #expect(request.limit == 1)
        full.engine.messagesRead([EngineDesk.entry(3)], wasLast: false, at: full.now)
        #expect(full.engine.takeEffects().reads.map(\.message.rawValue) == [3])
    }

    @Test func moreRecipientsThanFitAreReadLater() {
        var limits = DeliveryEngine.Limits()
        limits.recipients = 2 * RegistryLimits.recipientsPerPage
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...3 { desk.engine.messageAccepted(EngineDesk.entry(id), at: desk.now) }
        let reads = desk.engine.takeEffects().reads
        #expect(reads.map(\.message.rawValue) == [1, 2])
        // A small page gives back what it was counted for while it was being read.
        desk.engine.pageRead(EngineDesk.page(1...1, of: 1), reads[0], at: desk.now)
        #expect(desk.engine.takeEffects().reads.isEmpty)
        desk.complete(desk.pull(1), .delivered)
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [3])
    }

    @Test func fanOutsDoNotTakeTheMemoryOfTheInteractiveLane() {
        var limits = DeliveryEngine.Limits()
        limits.recipients = 4 * RegistryLimits.recipientsPerPage
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...9 { desk.engine.messageAccepted(EngineDesk.entry(id, lane: .bulk), at: desk.now) }
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [1, 2, 3])
        desk.engine.messageAccepted(EngineDesk.entry(10), at: desk.now)
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [10])
    }

    @Test func soManyReadingsAtATime() {
        var desk = EngineDesk()
        for id: UInt64 in 1...20 { desk.engine.messageAccepted(EngineDesk.entry(id), at: desk.now) }
        #expect(desk.engine.takeEffects().reads.count == 8)
        #expect(desk.engine.takeEffects().reads.isEmpty)
    }

    @Test func outcomesNotOnDiskHoldBackWhatIsNext() {
        var limits = DeliveryEngine.Limits()
        limits.unrecorded = 2
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1), to: 1...4)
        let deliveries = desk.pull(9)
        #expect(deliveries.words == ["1>1", "1>2"])
        #expect(desk.pull(9).isEmpty)

        desk.complete(deliveries, .delivered)
        let effects = desk.engine.takeEffects()
        #expect(desk.pull(9).isEmpty)
        #expect(!desk.engine.hasWork(for: EngineDesk.production))
        for record in effects.records { desk.engine.recorded(record) }
        #expect(desk.engine.takeEffects().wake.contains(EngineDesk.production))
        #expect(desk.pull(9).words == ["1>3", "1>4"])
    }

    @Test func aPoolThatFoundTheBoundReachedIsWokenWhenAnotherGivesItsWorkBack() {
        var limits = DeliveryEngine.Limits()
        limits.unrecorded = 1
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        let first = desk.pull(1)
        #expect(desk.pull(1, for: EngineDesk.sandbox).isEmpty)
        _ = desk.engine.takeEffects()
        // Nothing will be written of it for a while, so no writing will wake anybody.
        desk.complete(first, .unknown)
        #expect(desk.engine.takeEffects().wake.contains(EngineDesk.sandbox))
    }
}
