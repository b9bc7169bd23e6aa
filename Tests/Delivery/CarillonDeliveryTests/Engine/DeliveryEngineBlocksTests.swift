import CarillonCore
import CarillonDelivery
import Testing

/// Messages for which a node of a cluster sends only some blocks of pages.
struct DeliveryEngineBlocksTests {
    private var harness = EngineHarness()
    private static let message = MessageID(rawValue: 1)

    private func message(with blocks: [PageBlock], isCancelled: Bool = false) -> OutboundMessage {
        var outbound = OutboundMessage.message(1, lane: .bulk, isLive: true)
        outbound.isCancelled = isCancelled
        outbound.share = PageShare(pages: 100, blocks: blocks)
        return outbound
    }

    /// Answers the reads of the message as an outbox does that has one pending recipient in each page up to `last`.
    @discardableResult
    private mutating func answerReads(upTo last: UInt32 = 99) -> [UInt32] {
        let reads = harness.engine.takeActions().pageReads
        for read in reads {
            let page =
                read.page > last
                ? nil : EngineHarness.page(UInt64(read.page) + 1...UInt64(read.page) + 1, of: 1, read.page)
            harness.engine.pageRead(page, for: read, at: harness.now)
        }
        return reads.map(\.page)
    }

    /// Reads, sends and writes until nothing is left to do; returns the devices that got a push, and the blocks that
    /// have ended.
    private mutating func run(upTo last: UInt32 = 99) -> (devices: [UInt64], ended: [PageBlock]) {
        var devices: [UInt64] = []
        var ended: [PageBlock] = []
        for _ in 0..<50 {
            let actions = harness.takeActions()
            ended += actions.endedBlocks.map(\.pages)
            #expect(actions.finishedMessages.isEmpty)
            for read in actions.pageReads {
                let isThere = read.page <= last
                let device = UInt64(read.page) + 1
                harness.engine.pageRead(
                    isThere ? EngineHarness.page(device...device, of: 1, read.page) : nil, for: read, at: harness.now)
            }
            let deliveries = harness.pull(10)
            devices += deliveries.map { $0.attempt.recipient.device?.rawValue ?? 0 }
            harness.complete(deliveries, .delivered)
            harness.advance(100)
        }
        return (devices, ended)
    }

    @Test mutating func `a node sends its blocks and nothing else`() {
        harness.engine.messageAccepted(
            message(with: [PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 1)]), at: harness.now)
        let (devices, ended) = run()
        #expect(devices == [4, 5, 9])
        #expect(ended == [PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 1)])
        #expect(!harness.engine.contains(Self.message))
    }

    @Test mutating func `a block that is claimed while the message is sent is sent too`() {
        let first = PageBlock(first: 0, count: 1)
        let next = PageBlock(first: 6, count: 2)
        harness.engine.messageAccepted(message(with: [first]), at: harness.now)
        answerReads()
        harness.engine.pagesClaimed([next], of: message(with: [first, next]), at: harness.now)
        #expect(harness.engine.summary(ofShared: message(with: []), at: harness.now).unreadPageCount == 2)
        let (devices, ended) = run()
        #expect(devices.sorted() == [1, 7, 8])
        #expect(ended.map(\.first).sorted() == [0, 6])
        // The message has left the memory, and comes back with another block.
        let last = PageBlock(first: 90, count: 1)
        harness.engine.pagesClaimed([last], of: message(with: [last]), at: harness.now)
        #expect(run().devices == [91])
    }

    @Test mutating func `a block without recipients ends`() {
        harness.engine.messageAccepted(
            message(with: [PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 4)]), at: harness.now)
        let (devices, ended) = run(upTo: 3)
        #expect(devices == [4])
        #expect(ended.map(\.first).sorted() == [3, 8])
    }

    @Test mutating func `a cancelled message ends in all blocks of the node`() {
        harness.engine.messageAccepted(message(with: [PageBlock(first: 0, count: 2)]), at: harness.now)
        harness.engine.cancel(Self.message, at: harness.now)
        let (devices, ended) = run()
        #expect(devices == [])
        #expect(ended == [PageBlock(first: 0, count: 2)])
    }

    @Test mutating func `a block ends after its pushes in flight`() {
        harness.engine.messageAccepted(message(with: [PageBlock(first: 0, count: 1)]), at: harness.now)
        answerReads()
        let deliveries = harness.pull(10)
        #expect(deliveries.count == 1)
        harness.advance(1_000)
        #expect(harness.takeActions().endedBlocks.count == 0)
        harness.complete(deliveries, .delivered)
        harness.advance(1_000)
        // The outcome is in a record that is not on disk yet.
        let actions = harness.engine.takeActions()
        #expect(actions.endedBlocks.isEmpty)
        #expect(actions.records.count == 1)
        for record in actions.records { harness.engine.recordWritten(record, at: harness.now) }
        let ended = harness.engine.takeActions().endedBlocks.map(\.pages)
        #expect(ended == [PageBlock(first: 0, count: 1)])
    }

    @Test mutating func `a node that gives up a message ends no block`() {
        harness.engine.messageAccepted(message(with: [PageBlock(first: 0, count: 3)]), at: harness.now)
        answerReads()
        let deliveries = harness.pull(1)
        harness.engine.messageTakenOver(Self.message, at: harness.now)
        #expect(harness.engine.contains(Self.message))
        #expect(harness.pull(10).count == 0)
        harness.complete(deliveries, .delivered)
        harness.advance(1_000)
        let (devices, ended) = run()
        #expect(devices == [])
        #expect(ended == [])
        #expect(!harness.engine.contains(Self.message))
    }
}
