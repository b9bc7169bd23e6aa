import CarillonCore
import CarillonDelivery
import Testing

/// Updates of a message while it is sent.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineMessageUpdatesTests {
    private let first = MessageID(rawValue: 1)

    // MARK: Cancelled

    @Test func `cancelled recipients end and pushes in flight keep their answers`() throws {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        harness.pageRead([.init(device: 1), .init(device: 2), .init(device: 3)], of: 1, isLast: false)
        let first = harness.pull(1)
        let second = harness.pull(1)
        harness.engine.cancel(self.first, at: harness.now)
        #expect(harness.pull(9).isEmpty)
        harness.complete(first, .delivered)
        harness.complete(second, .unknown)
        let actions = harness.takeActions()
        #expect(
            actions.records.transcript == [
                "page 1.0, recipient 2: cancelled", "page 1.0, recipient 0: delivered",
                "page 1.0, recipient 1: cancelled",
            ])

        // Pages that were not read yet are read, so that their recipients end too.
        let read = try #require(actions.pageReads.first)
        harness.engine.pageRead(EngineHarness.page(8...9, of: 1, 1, isLast: true), for: read, at: harness.now)
        #expect(
            harness.takeActions().records.transcript == [
                "page 1.1, recipient 0: cancelled", "page 1.1, recipient 1: cancelled",
            ])
        #expect(harness.engine.load.messages == 0)
    }

    @Test func `a suspended page is read for its end when its message is cancelled`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .tryLater(.throttled, afterMilliseconds: nil))
        _ = harness.takeActions()
        #expect(harness.engine.load.suspended == 1)
        harness.engine.cancel(first, at: harness.now)
        harness.pageRead([.init(device: 1, attempts: 1, dueAt: .init(milliseconds: .max))], of: 1)
        #expect(harness.takeActions().records.transcript == ["page 1.0, recipient 0: cancelled"])
        #expect(harness.engine.load.messages == 0)
        #expect(harness.engine.load.suspended == 0)
    }

    // MARK: Paused

    @Test func `a paused message leaves memory and comes back`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        harness.engine.pause(first, at: harness.now)
        #expect(harness.pull(9).isEmpty)
        #expect(harness.engine.load.messages == 0)
        #expect(harness.engine.load.recipients == 0)
        #expect(harness.records().isEmpty, "they stay pending in the outbox")

        harness.send(.message(1), to: 1...3)
        #expect(harness.pull(9).transcript == ["1>1", "1>2", "1>3"])
    }

    @Test func `a message that is resumed before it has left memory comes back afterwards`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let deliveries = harness.pull(1)
        harness.engine.pause(first, at: harness.now)
        harness.engine.messageAccepted(.message(1), at: harness.now)
        #expect(harness.pull(9).isEmpty)
        harness.complete(deliveries, .delivered)
        #expect(harness.takeActions().records.transcript == ["page 1.0, recipient 0: delivered"])
        harness.pageRead([.init(device: 2)], of: 1)
        #expect(harness.pull(9).transcript == ["1>2"])
    }

    @Test func `a page that is read while its message is paused does not stay`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.complete(harness.pull(1), .unknown)
        _ = harness.takeActions()
        harness.advance(1_000)
        let read = harness.engine.takeActions().pageReads[0]
        harness.engine.pause(first, at: harness.now)
        // The wall clock was set back, so the recipient is not due. The paused message must leave the memory all the
        // same.
        let later = harness.now.wall.later(byMilliseconds: 5_000)
        harness.engine.pageRead(
            EngineHarness.page([.init(device: 1, attempts: 1, dueAt: later)], of: 1), for: read, at: harness.now)
        #expect(harness.engine.load.messages == 0)
        #expect(harness.engine.load.suspended == 0)
    }

    @Test func `a paused message ends if it is cancelled before it has left memory`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let deliveries = harness.pull(1)
        harness.engine.pause(first, at: harness.now)
        harness.engine.cancel(first, at: harness.now)
        harness.complete(deliveries, .delivered)
        _ = harness.takeActions()
        harness.pageRead([.init(device: 2)], of: 1, from: 1)
        #expect(harness.records() == ["page 1.0, recipient 1: cancelled"])
    }

    // MARK: Paced

    /// Returns the number that was handed out in each second, if connections ask every 10 ms.
    private func rates(_ harness: inout EngineHarness, seconds: Int) -> [Int] {
        (0..<seconds).map { _ in
            (0..<100).reduce(0) { count, _ in
                harness.advance(10)
                let deliveries = harness.pull(1_000)
                harness.complete(deliveries, .delivered)
                _ = harness.takeActions()
                return count + deliveries.count
            }
        }
    }

    @Test func `a pace is kept and can be changed`() {
        var limits = DeliveryEngine.Limits()
        limits.minimumPacedRecipients = 1_000
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1, pace: 50), to: 1...1_000)
        #expect(harness.pull(1_000).count == 5, "a tenth of a second's worth at once")
        #expect(rates(&harness, seconds: 3) == [50, 50, 50])
        harness.engine.setPace(10, of: first, at: harness.now)
        let slow = rates(&harness, seconds: 3)
        #expect(slow.allSatisfy { (10...11).contains($0) }, "\(slow)")
        harness.engine.setPace(nil, of: first, at: harness.now)
        #expect(rates(&harness, seconds: 1) == [1_000 - 5 - 150 - slow.reduce(0, +)])
    }

    @Test func `a pull that the pace limits is followed by another`() {
        var harness = EngineHarness()
        harness.send(.message(1, pace: 10), to: 1...2)
        // The connection had room for one, and the pace allowed one: both are used up at once.
        #expect(harness.pull(1).transcript == ["1>1"])
        #expect(harness.engine.deadline == harness.now.uptime + 100)
        harness.advance(100)
        #expect(harness.pull(1).transcript == ["1>2"])
    }

    // MARK: While the outbox is read

    /// An update during a read of the outbox, and what comes of a message to two devices that the read still finds.
    struct UpdateDuringRead: Sendable, CustomTestStringConvertible {
        let update: MessageUpdate
        /// True if the pages of the message are read.
        let isRead: Bool
        /// The number of deliveries that are handed out at once.
        let deliveries: Int
        let records: [String]

        var testDescription: String { "\(update)" }
    }

    @Test(arguments: [
        UpdateDuringRead(
            update: .cancel, isRead: true, deliveries: 0,
            records: ["page 1.0, recipient 0: cancelled", "page 1.0, recipient 1: cancelled"]),
        UpdateDuringRead(update: .pause, isRead: false, deliveries: 0, records: []),
        UpdateDuringRead(update: .pace(10), isRead: true, deliveries: 1, records: []),
    ])
    func `an update also changes the messages of an outbox read that began before it`(_ row: UpdateDuringRead) {
        var harness = EngineHarness()
        harness.engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        harness.engine.queuesRead([EngineHarness.queue])
        _ = harness.engine.takeActions()
        switch row.update {
        case .cancel: harness.engine.cancel(first, at: harness.now)
        case .pause: harness.engine.pause(first, at: harness.now)
        case .pace(let pace): harness.engine.setPace(pace, of: first, at: harness.now)
        case .resume: break
        }
        harness.engine.messagesRead([.message(1)], of: EngineHarness.queue, isEnd: true, at: harness.now)
        #expect(harness.pageRead([.init(device: 1), .init(device: 2)], of: 1) == row.isRead)
        #expect(harness.pull(9).count == row.deliveries)
        #expect(harness.records() == row.records)
    }

    @Test func `a message updated during an outbox read keeps its new state`() {
        var harness = EngineHarness()
        harness.engine = DeliveryEngine(routes: EngineHarness.routes, seed: 1)
        harness.engine.queuesRead([EngineHarness.queue])
        _ = harness.engine.takeActions()
        harness.engine.pause(first, at: harness.now)
        harness.engine.cancel(first, at: harness.now)
        var cancelled = OutboundMessage.message(1)
        cancelled.isCancelled = true
        harness.engine.messageAccepted(cancelled, at: harness.now)
        harness.engine.messagesRead([.message(1)], of: EngineHarness.queue, isEnd: true, at: harness.now)
        let actions = harness.engine.takeActions()
        #expect(actions.pageReads.isEmpty)
        #expect(actions.messageReads.map(\.after?.rawValue) == [0])
        harness.engine.messagesRead([cancelled], of: EngineHarness.queue, isEnd: true, at: harness.now)
        harness.pageRead([.init(device: 1)], of: 1)
        #expect(harness.records() == ["page 1.0, recipient 0: cancelled"])
    }
}
