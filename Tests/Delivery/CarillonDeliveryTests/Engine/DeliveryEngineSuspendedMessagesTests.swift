import CarillonCore
import Testing

@testable import CarillonDelivery

/// Messages whose recipients all wait for a time make room for others, and come back when they are due.
///
/// `1>7` is message 1 on its way to device 7.
struct DeliveryEngineSuspendedMessagesTests {
    /// Makes a queue of eight messages at most; each goes to one device, and the provider asks to retry half a minute
    /// later.
    private func queueOfThrottledMessages(_ ids: ClosedRange<UInt64>, pace: UInt32? = nil) -> EngineHarness {
        var limits = DeliveryEngine.Limits()
        limits.messages = 16
        limits.reservedMessagesPerQueue = 1
        var harness = EngineHarness(limits: limits)
        for id in ids {
            harness.send(.message(id, pace: pace), to: id...id)
            harness.complete(harness.pull(9), .tryLater(.throttled, afterMilliseconds: 30_000))
            _ = harness.takeActions()
        }
        return harness
    }

    @Test func `messages whose retry is due later leave their room to others`() throws {
        var harness = queueOfThrottledMessages(1...9)
        #expect(harness.engine.load.messages == 2)
        #expect(harness.engine.load.suspended == 2)
        harness.send(.message(10), to: 10...10)
        #expect(harness.pull(9).transcript == ["10>10"])

        // The two messages in memory have timers of their own. The others are read from the outbox again.
        harness.advance(30_001)
        let actions = harness.engine.takeActions()
        #expect(actions.pageReads.map(\.message.rawValue) == [1, 2])
        let request = try #require(actions.messageReads.first)
        #expect(request.after == nil)
        harness.engine.messagesRead(
            (1...9).map { OutboundMessage.message($0) }, of: EngineHarness.queue, isEnd: true, at: harness.now)
        for read in actions.pageReads {
            let device = read.message.rawValue
            harness.engine.pageRead(
                EngineHarness.page(device...device, of: device, isLast: true), for: read, at: harness.now)
        }
        harness.readPages { message, _ in EngineHarness.page(message...message, of: message, isLast: true) }
        #expect(Set(harness.pull(99).transcript) == Set((1...9).map { "\($0)>\($0)" }))
    }

    @Test func `a queue is read again when a message of it is due and not before`() {
        var harness = queueOfThrottledMessages(1...4)
        harness.advance(30_001)
        #expect(harness.engine.takeActions().messageReads.count == 1)
        harness.engine.messagesRead([.message(3)], of: EngineHarness.queue, isEnd: true, at: harness.now)
        let due = harness.now.wall.later(byMilliseconds: 1_000)
        harness.pageRead([.init(device: 3, attempts: 1, dueAt: due)], of: 3)
        #expect(harness.engine.load.messages == 2, "not due yet: it has left again")
        harness.advance(29_999)
        #expect(harness.engine.takeActions().messageReads.isEmpty)
        harness.advance(1)
        #expect(harness.engine.takeActions().messageReads.count == 1)
    }

    @Test(arguments: [0, 20_000, 40_000, .max - EngineHarness().now.wall.milliseconds] as [UInt64])
    func `a message is read again at its retry or its expiry whichever comes first`(_ left: UInt64) {
        var harness = queueOfThrottledMessages(1...2)
        let due = harness.now.wall.later(byMilliseconds: 30_000)
        harness.send(
            .message(3, notAfter: harness.now.wall.milliseconds + left),
            to: [.init(device: 3, dueAt: due)])
        let at = harness.now.uptime + min(30_000, left) + 1
        #expect(harness.engine.messages.rereadAt == at)
    }

    @Test func `a message with a pace stays in memory while its recipients wait`() {
        #expect(queueOfThrottledMessages(1...3, pace: 100).engine.load.messages == 3)
    }

    @Test func `timers of removed messages do not accumulate`() {
        var harness = queueOfThrottledMessages(1...5_000)
        #expect(harness.engine.load.messages == 2)
        #expect(harness.engine.load.timers <= PageTimers.minimumTimersBeforeRemoval)
        harness.advance(60_000)
        #expect(harness.engine.takeActions().pageReads.map(\.message.rawValue) == [1, 2])
    }
}
