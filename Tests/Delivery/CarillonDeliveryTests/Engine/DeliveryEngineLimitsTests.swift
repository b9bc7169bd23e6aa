import CarillonCore
import CarillonDelivery
import Testing

/// Memory is bounded; what does not fit stays in the outbox and is not lost.
///
/// `1>7` is message 1 on its way to device 7.
struct DeliveryEngineLimitsTests {
    /// Limits with room for that many full pages of recipients.
    private static func memory(ofPages pages: Int) -> DeliveryEngine.Limits {
        var limits = DeliveryEngine.Limits()
        limits.recipients = pages * RegistryLimits.recipientsPerPage
        return limits
    }

    private static func nextPages(of messages: UInt64...) -> [String] { messages.map { "the next page of \($0)" } }

    // MARK: Messages

    @Test func `a queue has half of the messages in memory`() {
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        limits.reservedMessagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...4 { harness.send(.message(id), to: id...id) }
        #expect(harness.pull(9).transcript == ["1>1", "2>2"])
    }

    @Test func `a message that did not fit is read from the outbox when another has ended`() {
        var limits = DeliveryEngine.Limits()
        limits.messages = 4
        limits.reservedMessagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        for id: UInt64 in 1...3 { harness.send(.message(id), to: id...id) }
        harness.complete(harness.pull(1), .delivered)
        _ = harness.takeActions()
        #expect(harness.readRequests() == ["messages after 2, at most 1"])
        harness.outboxRead([3])
        #expect(harness.readRequests() == Self.nextPages(of: 3))
    }

    // MARK: Recipients

    @Test func `a page that does not fit is read when another has ended`() {
        var harness = EngineHarness(limits: Self.memory(ofPages: 4))
        harness.accept(1...3)
        let reads = harness.engine.takeActions().pageReads
        #expect(reads.map(\.message.rawValue) == [1, 2], "half of the memory")
        // A page that is being read counts as a full one. This one has one recipient, and counts for one from now on.
        harness.engine.pageRead(EngineHarness.page(1...1, of: 1), for: reads[0], at: harness.now)
        #expect(harness.readRequests().isEmpty)
        harness.complete(harness.pull(1), .delivered)
        _ = harness.takeActions()
        #expect(harness.readRequests() == Self.nextPages(of: 3))
    }

    @Test func `outcomes without a push count until they are on disk`() {
        let fullPage = 1...UInt64(RegistryLimits.recipientsPerPage)
        var harness = EngineHarness(limits: Self.memory(ofPages: 8))
        harness.accept(1...1)
        harness.engine.cancel(MessageID(rawValue: 1), at: harness.now)

        // Every recipient that is read ends at once. Nothing is ever in flight: only outcomes that are not on disk hold
        // back pages.
        var records: [OutcomeRecord] = []
        func readPages() -> Int {
            var count = 0
            while case let actions = harness.engine.takeActions(),
                !actions.pageReads.isEmpty || !actions.records.isEmpty
            {
                records += actions.records
                count += actions.pageReads.count
                for read in actions.pageReads {
                    harness.engine.pageRead(
                        EngineHarness.page(fullPage, of: 1, read.page), for: read, at: harness.now)
                }
            }
            return count
        }
        #expect(readPages() == 4, "half of the memory")
        #expect(harness.engine.load.recipients == 4 * fullPage.count)
        #expect(records.map(\.endedRecipients.count) == Array(repeating: fullPage.count, count: 4))
        harness.engine.recordWritten(records[0], at: harness.now)
        #expect(readPages() == 1)
    }

    @Test func `fan-outs leave a quarter of the memory to the interactive lane`() {
        var limits = Self.memory(ofPages: 8)
        limits.reservedPagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        harness.accept(1...4, lane: .bulk)
        harness.accept(5...9, app: EngineHarness.otherApp, lane: .bulk)
        #expect(harness.readRequests() == Self.nextPages(of: 1, 5, 2, 6, 3, 7), "the apps in turn, six pages of eight")
        harness.accept(10...10)
        #expect(harness.readRequests() == Self.nextPages(of: 10))
    }

    @Test func `no queue takes more than half of the memory`() {
        var harness = EngineHarness(limits: Self.memory(ofPages: 6))
        harness.accept(1...9, lane: .bulk)
        #expect(harness.readRequests() == Self.nextPages(of: 1, 2, 3))
        harness.accept(10...10)
        #expect(harness.readRequests() == Self.nextPages(of: 10))
    }

    @Test func `no more than eight pages are read at a time`() {
        var harness = EngineHarness()
        harness.accept(1...20)
        #expect(harness.readRequests().count == 8)
        #expect(harness.readRequests().isEmpty)
    }

    // MARK: Outcomes that are not on disk

    @Test func `outcomes not on disk delay the next pushes`() {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...4)
        let deliveries = harness.pull(9)
        #expect(deliveries.transcript == ["1>1", "1>2"])
        #expect(harness.pull(9).isEmpty)

        harness.complete(deliveries, .delivered)
        let actions = harness.engine.takeActions()
        #expect(harness.pull(9).isEmpty)
        #expect(!harness.engine.hasWork(for: PoolKey.production))
        for record in actions.records { harness.engine.recordWritten(record, at: harness.now) }
        #expect(harness.engine.takeActions().poolsToWake.contains(PoolKey.production))
        #expect(harness.pull(9).transcript == ["1>3", "1>4"])
    }

    @Test func `a pool that the bound stops is woken when another returns its work`() {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 1
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        let first = harness.pull(1)
        #expect(harness.pull(1, for: .sandbox).isEmpty)
        _ = harness.engine.takeActions()
        // The delay of this recipient is written later, so no record on disk wakes the other pool now.
        harness.complete(first, .unknown)
        #expect(harness.engine.takeActions().poolsToWake.contains(PoolKey.sandbox))
    }
}
