import CarillonCore
import CarillonDelivery
import Testing

/// The pages of a message are read one after the other.
///
/// `page 1.0` is the first page of message 1.
struct DeliveryEngineReadingTests {
    @Test func `pages of a message follow each other`() throws {
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
        #expect(harness.records() == ["page 1.1, recipient 0: delivered", "page 1.5, recipient 0: delivered"])
        #expect(harness.engine.takeActions().pageReads.isEmpty)
    }

    @Test func `a page that only waits does not hold back the next`() {
        var limits = DeliveryEngine.Limits()
        limits.pagesPerMessage = 1
        var harness = EngineHarness(limits: limits)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        harness.engine.pageRead(EngineHarness.page(1...1, of: 1), for: read, at: harness.now)
        harness.complete(harness.pull(1), .unknown)
        #expect(harness.engine.takeActions().pageReads.map(\.page) == [1])
    }

    @Test func `missing answers do not delay the next page`() throws {
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

    @Test func `an unreadable page ends no recipient`() {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        harness.engine.pageRead(nil, for: read, at: harness.now)
        #expect(harness.records().isEmpty)
        #expect(harness.pull(1).isEmpty)
    }
}
