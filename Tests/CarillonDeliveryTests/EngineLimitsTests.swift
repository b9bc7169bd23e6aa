import CarillonCore
import CarillonDelivery
import Testing

/// Memory is bounded; what does not fit stays in the outbox and is not lost.
@Suite struct EngineLimitsTests {
    @Test func itBeginsWithWhatTheOutboxHolds() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        #expect(engine.takeEffects().readsQueues)
        #expect(!engine.takeEffects().readsQueues, "asked twice")
        engine.queuesRead([EngineDesk.queue])
        let request = try #require(engine.takeEffects().messages.first)
        #expect(request.after == nil)
        #expect(request.limit == 1_024)
        #expect(engine.takeEffects().messages.isEmpty, "asked twice")

        let now = EngineDesk().now
        engine.messagesRead(
            [EngineDesk.entry(3), EngineDesk.entry(4)], of: EngineDesk.queue, wasLast: false, at: now)
        let effects = engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [3, 4])
        let more = try #require(effects.messages.first)
        #expect(more.after?.rawValue == 4)
        #expect(more.limit == 1_022)
        engine.messagesRead([], of: EngineDesk.queue, wasLast: true, at: now)
        #expect(engine.takeEffects().messages.isEmpty)
    }

    @Test func whatCannotBeReadIsPassedOver() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        let now = EngineDesk().now
        engine.queuesRead([EngineDesk.queue])
        _ = engine.takeEffects()
        let last = EngineDesk.entry(5).id
        engine.messagesRead([EngineDesk.entry(3)], upTo: last, of: EngineDesk.queue, wasLast: false, at: now)
        let effects = engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [3])
        #expect(effects.messages.first?.after == last)
        engine.messagesRead([], upTo: EngineDesk.entry(6).id, of: EngineDesk.queue, wasLast: true, at: now)
        #expect(engine.takeEffects().messages.isEmpty)
    }

    @Test func linesThatCannotBeReadAreAskedForAgain() {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        #expect(engine.takeEffects().readsQueues)
        engine.queuesUnreadable()
        #expect(engine.takeEffects().readsQueues)
    }

    @Test func whatIsAcceptedWhileTheOutboxIsReadIsNotLost() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        let now = EngineDesk().now
        engine.queuesRead([EngineDesk.queue])
        _ = engine.takeEffects()
        engine.messageAccepted(EngineDesk.entry(5), at: now)
        #expect(engine.takeEffects().reads.isEmpty)
        // This reading began before message 5.
        engine.messagesRead([EngineDesk.entry(4)], of: EngineDesk.queue, wasLast: true, at: now)
        #expect(try #require(engine.takeEffects().messages.first).after?.rawValue == 4)
        engine.messagesRead([EngineDesk.entry(5)], of: EngineDesk.queue, wasLast: true, at: now)
        let effects = engine.takeEffects()
        #expect(effects.reads.map(\.message.rawValue) == [5])
        #expect(effects.messages.isEmpty)
    }

    @Test func whatIsResumedWhileTheOutboxIsReadPastItIsNotLost() throws {
        var engine = DeliveryEngine(routes: EngineDesk.routes, seed: 1)
        let now = EngineDesk().now
        engine.queuesRead([EngineDesk.queue])
        _ = engine.takeEffects()
        // The reading began while message 5 was paused, and has passed it over.
        engine.messageAccepted(EngineDesk.entry(5), at: now)
        engine.messagesRead([EngineDesk.entry(4), EngineDesk.entry(6)], of: EngineDesk.queue, wasLast: true, at: now)
        #expect(try #require(engine.takeEffects().messages.first).after?.rawValue == 4)
        engine.messagesRead([EngineDesk.entry(5), EngineDesk.entry(6)], of: EngineDesk.queue, wasLast: true, at: now)
        #expect(engine.takeEffects().reads.map(\.message.rawValue) == [5])
    }

    @Test func linesThatAreReadAtOnceShareTheRoom() {
        var limits = DeliveryEngine.Limits()
        limits.messages = 100
        limits.messagesPerLine = 5
        var engine = DeliveryEngine(routes: EngineDesk.routes, limits: limits, seed: 1)
        engine.queuesRead(
            Set((0..<10).map { OutboxQueue(lane: .bulk, app: AppID("com.example.app\($0)") ?? EngineDesk.app) }))
        #expect(engine.takeEffects().messages.map(\.limit) == [50, 50] + Array(repeating: 5, count: 8))
    }

    @Test func whatWasReadAndIsThenToldIsTakenOnce() {
        var desk = EngineDesk(outbox: [EngineDesk.entry(5)])
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [5])
        desk.engine.messageAccepted(EngineDesk.entry(5), at: desk.now)
        #expect(desk.engine.takeEffects().reads.isEmpty)
    }

    @Test func moreMessagesThanFitAreReadFromTheOutboxLater() throws {
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        limits.messagesPerLine = 1
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...4 { desk.send(EngineDesk.entry(id), to: id...id) }
        #expect(desk.pull(9).words == ["1>1", "2>2"])

        var full = EngineDesk(limits: limits)
        for id: UInt64 in 1...3 { full.send(EngineDesk.entry(id), to: id...id) }
        full.complete(full.pull(1), .delivered)
        _ = full.write()
        let request = try #require(full.engine.takeEffects().messages.first)
        #expect(request.after?.rawValue == 2)
        #expect(request.limit == 1)
        full.engine.messagesRead([EngineDesk.entry(3)], of: EngineDesk.queue, wasLast: false, at: full.now)
        #expect(full.engine.takeEffects().reads.map(\.message.rawValue) == [3])
    }

    @Test func moreRecipientsThanFitAreReadLater() {
        var limits = DeliveryEngine.Limits()
        limits.recipients = 4 * RegistryLimits.recipientsPerPage
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...3 { desk.engine.messageAccepted(EngineDesk.entry(id), at: desk.now) }
        let reads = desk.engine.takeEffects().reads
        #expect(reads.map(\.message.rawValue) == [1, 2])
        // A small page gives back what it was counted for while it was being read.
        desk.engine.pageRead(EngineDesk.page(1...1, of: 1), reads[0], at: desk.now)
        #expect(desk.engine.takeEffects().reads.isEmpty)
        desk.complete(desk.pull(1), .delivered)
        _ = desk.write()
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [3])
    }

    @Test func outcomesThatNobodyWasSentForCountUntilTheyAreOnDisk() {
        let size = RegistryLimits.recipientsPerPage
        var limits = DeliveryEngine.Limits()
        limits.recipients = 8 * size
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        desk.engine.cancel(MessageID(rawValue: 1), at: desk.now)
        // All that is read ends at once; nothing is ever in flight.
        var records: [OutcomeRecord] = []
        func read() -> Int {
            var count = 0
            while case let effects = desk.engine.takeEffects(), !effects.reads.isEmpty || !effects.records.isEmpty {
                records += effects.records
                for read in effects.reads {
                    count += 1
                    let page = EngineDesk.page(1...UInt64(size), of: 1, read.page)
                    desk.engine.pageRead(page, read, at: desk.now)
                }
            }
            return count
        }
        #expect(read() == 4, "half of the memory")
        #expect(desk.engine.load.recipients == 4 * size)
        #expect(records.map(\.entries.count) == Array(repeating: size, count: 4))
        desk.engine.recorded(records[0], at: desk.now)
        #expect(read() == 1)
    }

    @Test func fanOutsDoNotTakeTheMemoryOfTheInteractiveLane() {
        var limits = DeliveryEngine.Limits()
        limits.recipients = 8 * RegistryLimits.recipientsPerPage
        limits.pagesPerLine = 1
        let other = EngineDesk.otherApp
        var desk = EngineDesk(limits: limits)
        for id: UInt64 in 1...4 { desk.engine.messageAccepted(EngineDesk.entry(id, lane: .bulk), at: desk.now) }
        for id: UInt64 in 5...9 {
            desk.engine.messageAccepted(EngineDesk.entry(id, app: other, lane: .bulk), at: desk.now)
        }
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [1, 5, 2, 6, 3, 7])
        desk.engine.messageAccepted(EngineDesk.entry(10), at: desk.now)
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [10])
    }

    @Test func noLineTakesMoreThanHalfOfTheMemory() {
        var limits = DeliveryEngine.Limits()
        limits.recipients = 6 * RegistryLimits.recipientsPerPage
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
        for record in effects.records { desk.engine.recorded(record, at: desk.now) }
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
