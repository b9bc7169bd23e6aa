import CarillonCore
import CarillonDelivery
import Testing

/// The pushes that the engine hands out while a provider answers that it is busy.
struct DeliveryEngineThrottleTests {
    @Test func `a busy provider is tried with a tenth of the pushes and then gets all`() {
        var message = LargeMessage()
        #expect(message.attempts(seconds: 2, .delivered) == [10_000, 10_000])

        let during = message.attempts(seconds: 600, .tryLater(.serverBusy, afterMilliseconds: nil))
        #expect(during.reduce(0, +) <= 600 * 1_000, "a tenth on average")
        #expect(during.dropFirst(5).allSatisfy { $0 <= 1_000 }, "a tenth in each second, after the first five")

        let after = message.attempts(seconds: 30, .delivered)
        #expect(after.contains(10_000), "\(after)")
    }

    @Test func `no push is lost while a provider is busy for ten minutes`() {
        var message = LargeMessage()
        _ = message.attempts(seconds: 600, .tryLater(.serverBusy, afterMilliseconds: nil))
        message.finish()
        #expect(message.outcomes.count == LargeMessage.recipients)
        #expect(message.outcomes.values.allSatisfy { $0 == .delivered })
        #expect(message.harness.engine.load.messages == 0)
    }
}
