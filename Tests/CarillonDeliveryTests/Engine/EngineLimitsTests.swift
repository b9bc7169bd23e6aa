import CarillonCore
import CarillonDelivery
import Testing

/// Memory is bounded; what does not fit stays in the outbox and is not lost.
///
/// `1>7`: message 1 is on its way to device 7.
struct EngineLimitsTests {
    @Test func engineStartsWithTheMessagesOfTheOutbox() throws {
        var engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        let readsQueues = [engine.takeActions().readsQueues, engine.takeActions().readsQueues]
        #expect(readsQueues == [true, false], "asked once")
        engine.queuesRead([EngineHarness.queue])
        let request = try #require(engine.takeActions().messages.first)
        #expect((request.after, request.limit) == (nil, 1_024))
        #expect(engine.takeActions().messages.isEmpty, "asked twice")

        let now = EngineHarness().now
        engine.messagesRead(
            [EngineHarness.entry(3), EngineHarness.entry(4)], of: EngineHarness.queue, isEnd: false, at: now)
        let actions = engine.takeActions()
        #expect(actions.reads.map(\.message.rawValue) == [3, 4])
        let more = try #require(actions.messages.first)
        #expect((more.after?.rawValue, more.limit) == (4, 1_022))
        engine.messagesRead([], of: EngineHarness.queue, isEnd: true, at: now)
        #expect(engine.takeActions().messages.isEmpty)
    }

    @Test func unreadableMessagesAreSkipped() throws {
        var engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        let now = EngineHarness().now
        engine.queuesRead([EngineHarness.queue])
        _ = engine.takeActions()
        let last = EngineHarness.entry(5).id
        engine.messagesRead([EngineHarness.entry(3)], upTo: last, of: EngineHarness.queue, isEnd: false, at: now)
        let actions = engine.takeActions()
        #expect(actions.reads.map(\.message.rawValue) == [3])
        #expect(actions.messages.first?.after == last)
        engine.messagesRead([], upTo: EngineHarness.entry(6).id, of: EngineHarness.queue, isEnd: true, at: now)
        #expect(engine.takeActions().messages.isEmpty)
    }

    @Test func unreadableQueuesAreRequestedAgain() {
        var engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        #expect(engine.takeActions().readsQueues)
        engine.queuesUnreadable()
        #expect(engine.takeActions().readsQueues)
    }

    @Test func aMessageAcceptedDuringAnOutboxReadIsNotLost() throws {
        var engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        let now = EngineHarness().now
        engine.queuesRead([EngineHarness.queue])
        _ = engine.takeActions()
        engine.messageAccepted(EngineHarness.entry(5), at: now)
        #expect(engine.takeActions().reads.isEmpty)
        // This reading began before message 5.
        engine.messagesRead([EngineHarness.entry(4)], of: EngineHarness.queue, isEnd: true, at: now)
        #expect(try #require(engine.takeActions().messages.first).after?.rawValue == 4)
        engine.messagesRead([EngineHarness.entry(5)], of: EngineHarness.queue, isEnd: true, at: now)
        let actions = engine.takeActions()
        #expect(actions.reads.map(\.message.rawValue) == [5])
        #expect(actions.messages.isEmpty)
    }

    @Test func aMessageResumedBehindAnOutboxReadIsNotLost() throws {
        var engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        let now = EngineHarness().now
        engine.queuesRead([EngineHarness.queue])
        _ = engine.takeActions()
        // The reading began while message 5 was paused, and has passed it over.
        engine.messageAccepted(EngineHarness.entry(5), at: now)
        engine.messagesRead(
            [EngineHarness.entry(4), EngineHarness.entry(6)], of: EngineHarness.queue, isEnd: true, at: now)
        #expect(try #require(engine.takeActions().messages.first).after?.rawValue == 4)
        engine.messagesRead(
            [EngineHarness.entry(5), EngineHarness.entry(6)], of: EngineHarness.queue, isEnd: true, at: now)
        #expect(engine.takeActions().reads.map(\.message.rawValue) == [5])
    }

    @Test func queuesReadTogetherShareTheRoom() {
        var limits = DeliveryEngine.EngineLimits()
        limits.messages = 100
        limits.messagesPerQueue = 5
        var engine = DeliveryEngine(routes: EngineHarness.routes, limits: limits, seed: 1)
        engine.queuesRead(
            Set((0..<10).map { OutboxQueue(lane: .bulk, app: AppID("com.example.app\($0)") ?? EngineHarness.app) }))
        #expect(engine.takeActions().messages.map(\.limit) == [50, 50] + Array(repeating: 5, count: 8))
    }

    @Test func aMessageThatWasReadAndIsThenAnnouncedIsAddedOnce() {
        var harness = EngineHarness(outbox: [EngineHarness.entry(5)])
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [5])
        harness.engine.messageAccepted(EngineHarness.entry(5), at: harness.now)
        #expect(harness.engine.takeActions().reads.isEmpty)
    }

    @Test func moreMessagesThanFitAreReadFromTheOutboxLater() throws {
        var limits = DeliveryEngine.EngineLimits()
        limits.messages = 4
        limits.messagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...4 { harness.send(EngineHarness.entry(id), to: id...id) }
        #expect(harness.pull(9).transcript == ["1>1", "2>2"])

        var full = EngineHarness(limits: limits)
        for id: UInt64 in 1...3 { full.send(EngineHarness.entry(id), to: id...id) }
        full.complete(full.pull(1), .delivered)
        _ = full.takeActions()
        let request = try #require(full.engine.takeActions().messages.first)
        #expect(request.after?.rawValue == 2)
        #expect(request.limit == 1)
        full.engine.messagesRead([EngineHarness.entry(3)], of: EngineHarness.queue, isEnd: false, at: full.now)
        #expect(full.engine.takeActions().reads.map(\.message.rawValue) == [3])
    }

    @Test func moreRecipientsThanFitAreReadLater() {
        var limits = DeliveryEngine.EngineLimits()
        limits.recipients = 4 * RegistryLimits.recipientsPerPage
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...3 { harness.engine.messageAccepted(EngineHarness.entry(id), at: harness.now) }
        let reads = harness.engine.takeActions().reads
        #expect(reads.map(\.message.rawValue) == [1, 2])
        // A small page gives back what it was counted for while it was being read.
        harness.engine.pageRead(EngineHarness.page(1...1, of: 1), reads[0], at: harness.now)
        #expect(harness.engine.takeActions().reads.isEmpty)
        harness.complete(harness.pull(1), .delivered)
        _ = harness.takeActions()
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [3])
    }

    @Test func outcomesWithoutAPushCountUntilTheyAreOnDisk() {
        let size = RegistryLimits.recipientsPerPage
        var limits = DeliveryEngine.EngineLimits()
        limits.recipients = 8 * size
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(EngineHarness.entry(1), at: harness.now)
        harness.engine.cancel(MessageID(rawValue: 1), at: harness.now)
        // All that is read ends at once; nothing is ever in flight.
        var records: [OutcomeRecord] = []
        func read() -> Int {
            var count = 0
            while case let actions = harness.engine.takeActions(), !actions.reads.isEmpty || !actions.records.isEmpty {
                records += actions.records
                for read in actions.reads {
                    count += 1
                    let page = EngineHarness.page(1...UInt64(size), of: 1, read.page)
                    harness.engine.pageRead(page, read, at: harness.now)
                }
            }
            return count
        }
        #expect(read() == 4, "half of the memory")
        #expect(harness.engine.load.recipients == 4 * size)
        #expect(records.map(\.entries.count) == Array(repeating: size, count: 4))
        harness.engine.recordWritten(records[0], at: harness.now)
        #expect(read() == 1)
    }

    @Test func fanOutsDoNotTakeTheMemoryOfTheInteractiveLane() {
        var limits = DeliveryEngine.EngineLimits()
        limits.recipients = 8 * RegistryLimits.recipientsPerPage
        limits.pagesPerQueue = 1
        let other = EngineHarness.otherApp
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...4 {
            harness.engine.messageAccepted(EngineHarness.entry(id, lane: .bulk), at: harness.now)
        }
        for id: UInt64 in 5...9 {
            harness.engine.messageAccepted(EngineHarness.entry(id, app: other, lane: .bulk), at: harness.now)
        }
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [1, 5, 2, 6, 3, 7])
        harness.engine.messageAccepted(EngineHarness.entry(10), at: harness.now)
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [10])
    }

    @Test func noQueueTakesMoreThanHalfOfTheMemory() {
        var limits = DeliveryEngine.EngineLimits()
        limits.recipients = 6 * RegistryLimits.recipientsPerPage
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...9 {
            harness.engine.messageAccepted(EngineHarness.entry(id, lane: .bulk), at: harness.now)
        }
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [1, 2, 3])
        harness.engine.messageAccepted(EngineHarness.entry(10), at: harness.now)
        #expect(harness.engine.takeActions().reads.map(\.message.rawValue) == [10])
    }

    @Test func pageReadsAtATimeAreLimited() {
        var harness = EngineHarness()
        for id: UInt64 in 1...20 { harness.engine.messageAccepted(EngineHarness.entry(id), at: harness.now) }
        #expect(harness.engine.takeActions().reads.count == 8)
        #expect(harness.engine.takeActions().reads.isEmpty)
    }

    @Test func outcomesNotOnDiskDelayTheNextPushes() {
        var limits = DeliveryEngine.EngineLimits()
        limits.unrecorded = 2
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1), to: 1...4)
        let deliveries = harness.pull(9)
        #expect(deliveries.transcript == ["1>1", "1>2"])
        #expect(harness.pull(9).isEmpty)

        harness.complete(deliveries, .delivered)
        let actions = harness.engine.takeActions()
        #expect(harness.pull(9).isEmpty)
        #expect(!harness.engine.hasWork(for: EngineHarness.production))
        for record in actions.records { harness.engine.recordWritten(record, at: harness.now) }
        #expect(harness.engine.takeActions().wake.contains(EngineHarness.production))
        #expect(harness.pull(9).transcript == ["1>3", "1>4"])
    }

    @Test func poolStoppedByTheBoundIsWokenWhenAnotherReturnsItsWork() {
        var limits = DeliveryEngine.EngineLimits()
        limits.unrecorded = 1
        var harness = EngineHarness(limits: limits)
        harness.send(EngineHarness.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        let first = harness.pull(1)
        #expect(harness.pull(1, for: EngineHarness.sandbox).isEmpty)
        _ = harness.engine.takeActions()
        // Nothing will be written of it for a while, so no writing will wake a pool.
        harness.complete(first, .unknown)
        #expect(harness.engine.takeActions().wake.contains(EngineHarness.sandbox))
    }
}
