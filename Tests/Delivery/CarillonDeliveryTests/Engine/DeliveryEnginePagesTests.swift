import CarillonCore
import CarillonDelivery
import Testing

/// Queues of pages hold what is to be sent, and soon nothing else.
///
/// `1>7` is message 1 on its way to device 7.
struct DeliveryEnginePagesTests {
    @Test func `expired recipients do not accumulate in queues`() {
        var harness = EngineHarness()
        for id in 1...1_000 as ClosedRange<UInt64> {
            harness.send(.message(id, notAfter: harness.now.wall.milliseconds), to: 1...1)
            harness.advance(1)
            harness.engine.expirePassed(at: harness.now)
            #expect(harness.takeActions().records.transcript == ["page \(id).0, recipient 0: expired"])
            #expect(harness.engine.load.queuedPages <= 64)
        }
    }

    @Test func `a page that triggers compaction stays in the queue`() {
        var harness = EngineHarness()
        for id in 1...64 as ClosedRange<UInt64> {
            harness.send(.message(id), to: 1...1)
            harness.engine.cancel(MessageID(rawValue: id), at: harness.now)
            _ = harness.takeActions()
        }
        #expect(harness.engine.load.queuedPages == 64)
        harness.send(.message(65), to: 1...1)
        #expect(harness.engine.load.queuedPages == 1)
        #expect(harness.pull(9).transcript == ["65>1"])
    }
}
