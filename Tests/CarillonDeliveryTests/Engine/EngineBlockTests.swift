import CarillonCore
import CarillonDelivery
import Testing

/// Messages of which a node of a cluster sends only some blocks of pages.
struct EngineBlockTests {
    private var engine = EngineHarness()
    private static let message = MessageID(rawValue: 1)

    private func entry(_ blocks: [PageBlock], isCancelled: Bool = false) -> OutboxEntry {
        var entry = EngineHarness.entry(1, lane: .bulk, isLive: true)
        entry.isCancelled = isCancelled
        entry.share = PageShare(pages: 100, blocks: blocks)
        return entry
    }

    /// Answers the reads of the message as an outbox does that has one pending recipient in each page up to `last`.
    @discardableResult
    private mutating func answerReads(upTo last: UInt32 = 99) -> [UInt32] {
        let reads = engine.engine.takeActions().reads
        for read in reads {
            let page =
                read.page > last
                ? nil : EngineHarness.page(UInt64(read.page) + 1...UInt64(read.page) + 1, of: 1, read.page)
            engine.engine.pageRead(page, for: read, at: engine.now)
        }
        return reads.map(\.page)
    }

    /// Reads, sends and writes until nothing is left to do; returns the devices that got a push, and the blocks that
    /// have ended.
    private mutating func run(upTo last: UInt32 = 99) -> (devices: [UInt64], ended: [PageBlock]) {
        var (devices, ended): ([UInt64], [PageBlock]) = ([], [])
        for _ in 0..<50 {
            let actions = engine.takeActions()
            ended += actions.endedBlocks.map(\.pages)
            #expect(actions.finished.isEmpty)
            for read in actions.reads {
                let isThere = read.page <= last
                let device = UInt64(read.page) + 1
                engine.engine.pageRead(
                    isThere ? EngineHarness.page(device...device, of: 1, read.page) : nil, for: read, at: engine.now)
            }
            let deliveries = engine.pull(10)
            devices += deliveries.map { $0.attempt.recipient.device?.rawValue ?? 0 }
            engine.complete(deliveries, .delivered)
            engine.advance(100)
        }
        return (devices, ended)
    }

    @Test mutating func aNodeSendsItsBlocksAndNothingElse() {
        engine.engine.messageAccepted(
            entry([PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 1)]), at: engine.now)
        let (devices, ended) = run()
        #expect(devices == [4, 5, 9])
        #expect(ended == [PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 1)])
        #expect(!engine.engine.contains(Self.message))
    }

    @Test mutating func aBlockClaimedWhileTheMessageIsSentIsSentToo() {
        let first = PageBlock(first: 0, count: 1)
        let next = PageBlock(first: 6, count: 2)
        engine.engine.messageAccepted(entry([first]), at: engine.now)
        answerReads()
        engine.engine.pagesClaimed([next], of: entry([first, next]), at: engine.now)
        #expect(engine.engine.summary(ofShared: entry([]), at: engine.now).unread == 2)
        let (devices, ended) = run()
        #expect(devices.sorted() == [1, 7, 8])
        #expect(ended.map(\.first).sorted() == [0, 6])
        // It has left the memory, and comes back with another claim.
        let last = PageBlock(first: 90, count: 1)
        engine.engine.pagesClaimed([last], of: entry([last]), at: engine.now)
        #expect(run().devices == [91])
    }

    @Test mutating func aBlockWithoutRecipientsEnds() {
        engine.engine.messageAccepted(
            entry([PageBlock(first: 3, count: 2), PageBlock(first: 8, count: 4)]), at: engine.now)
        let (devices, ended) = run(upTo: 3)
        #expect(devices == [4])
        #expect(ended.map(\.first).sorted() == [3, 8])
    }

    @Test mutating func aCancelledMessageEndsInAllBlocksOfTheNode() {
        engine.engine.messageAccepted(entry([PageBlock(first: 0, count: 2)]), at: engine.now)
        engine.engine.cancel(Self.message, at: engine.now)
        let (devices, ended) = run()
        #expect(devices == [])
        #expect(ended == [PageBlock(first: 0, count: 2)])
    }

    @Test mutating func aBlockEndsAfterItsPushesInFlight() {
        engine.engine.messageAccepted(entry([PageBlock(first: 0, count: 1)]), at: engine.now)
        answerReads()
        let deliveries = engine.pull(10)
        #expect(deliveries.count == 1)
        engine.advance(1_000)
        #expect(engine.takeActions().endedBlocks.count == 0)
        engine.complete(deliveries, .delivered)
        engine.advance(1_000)
        // On its way to the disk.
        let actions = engine.engine.takeActions()
        #expect(actions.endedBlocks.isEmpty)
        #expect(actions.records.count == 1)
        for record in actions.records { engine.engine.recordWritten(record, at: engine.now) }
        let ended = engine.engine.takeActions().endedBlocks.map(\.pages)
        #expect(ended == [PageBlock(first: 0, count: 1)])
    }

    @Test mutating func aNodeThatGivesUpAMessageEndsNoBlock() {
        engine.engine.messageAccepted(entry([PageBlock(first: 0, count: 3)]), at: engine.now)
        answerReads()
        let deliveries = engine.pull(1)
        engine.engine.giveUp(Self.message, at: engine.now)
        #expect(engine.engine.contains(Self.message))
        #expect(engine.pull(10).count == 0)
        engine.complete(deliveries, .delivered)
        engine.advance(1_000)
        let (devices, ended) = run()
        #expect(devices == [])
        #expect(ended == [])
        #expect(!engine.engine.contains(Self.message))
    }
}
