import CarillonCore
import CarillonDelivery
import Testing

/// Outcomes of fan-outs are buffered for a moment, because a commit costs what hundreds of them cost.
///
/// `page 1.0` is the first page of message 1.
struct DeliveryEngineWritingTests {
    private func makeHarness(
        _ lane: Lane = .bulk, unrecorded: Int = 16_384, buffered: Int = 4_096
    ) -> EngineHarness {
        var limits = DeliveryEngine.Limits()
        limits.bufferMilliseconds = 20
        limits.unrecordedDeliveries = unrecorded
        limits.bufferedDeliveries = buffered
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1, lane: lane), to: 1...8)
        return harness
    }

    @Test func `outcomes wait for others but not long`() {
        var harness = makeHarness()
        let deliveries = harness.pull(8)
        harness.complete([deliveries[0]], .delivered)
        #expect(harness.records().isEmpty)
        #expect(harness.engine.load.unrecorded == 1, "a crash would send it once more")
        #expect(harness.engine.deadline == harness.now.uptime + 20)
        harness.advance(19)
        harness.complete([deliveries[1]], .delivered)
        #expect(harness.records().isEmpty)
        harness.advance(1)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered", "page 1.0, recipient 1: delivered"])
        #expect(harness.engine.deadline == nil)
    }

    @Test func `outcomes do not wait if no more are expected`() {
        var harness = makeHarness()
        let deliveries = harness.pull(8)
        harness.complete(Array(deliveries[..<7]), .delivered)
        #expect(harness.records().isEmpty)
        harness.complete([deliveries[7]], .delivered)
        #expect(harness.records().count == 8)
    }

    /// Otherwise each burst of answers at the end of a message would be written by itself.
    @Test func `outcomes wait while others of their page are not handed out`() {
        var harness = makeHarness()
        harness.complete(harness.pull(3), .delivered)
        #expect(harness.records().isEmpty)
        harness.complete(harness.pull(8), .delivered)
        #expect(harness.records().count == 8)
    }

    @Test func `outcomes of the interactive lane do not wait`() {
        var harness = makeHarness(.interactive)
        harness.complete([harness.pull(8)[0]], .delivered)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    @Test func `outcomes do not wait when the bound delays others`() {
        var harness = makeHarness(unrecorded: 9)
        let deliveries = harness.pull(8)
        harness.complete([deliveries[0]], .delivered)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    @Test func `outcomes do not wait when many are buffered`() {
        var harness = makeHarness(unrecorded: 16, buffered: 4)
        let deliveries = harness.pull(8)
        harness.complete(Array(deliveries[..<3]), .delivered)
        #expect(harness.records().isEmpty)
        harness.complete([deliveries[3]], .delivered)
        #expect(harness.records().count == 4, "a quarter of the bound")
        harness.complete([deliveries[4]], .delivered)
        #expect(harness.records().isEmpty, "what is on its way to the disk is not buffered any more")
    }

    @Test func `more outcomes are buffered if pushes in flight leave room`() {
        var harness = makeHarness(unrecorded: 16, buffered: 6)
        let deliveries = harness.pull(8)
        harness.complete(Array(deliveries[..<5]), .delivered)
        #expect(harness.records().isEmpty, "more than a quarter of the bound")
        harness.complete([deliveries[5]], .delivered)
        #expect(harness.records().count == 6)
    }

    @Test func `at most a quarter is buffered if pushes in flight leave no room`() {
        var harness = makeHarness(unrecorded: 12, buffered: 6)
        let deliveries = harness.pull(8)
        harness.complete(Array(deliveries[..<3]), .delivered)
        #expect(harness.records().count == 3, "five of eleven are in flight: three eighths of the room are for them")
    }

    @Test func `outcomes do not wait when the server stops`() {
        var harness = makeHarness()
        let deliveries = harness.pull(8)
        harness.complete([deliveries[0]], .delivered)
        #expect(harness.records().isEmpty)
        harness.engine.stop()
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
        harness.complete([deliveries[1]], .delivered)
        #expect(harness.records() == ["page 1.0, recipient 1: delivered"])
    }

    @Test func `a recorded retry waits as long as outcomes`() {
        var harness = makeHarness()
        harness.complete([harness.pull(8)[0]], .unknown)
        #expect(harness.engine.load.unrecorded == 1)
        harness.advance(20)
        #expect(harness.records() == ["page 1.0, recipient 0: waits after attempt 1"])
    }
}
