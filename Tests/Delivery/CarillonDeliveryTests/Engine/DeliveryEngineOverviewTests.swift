import CarillonCore
import CarillonDelivery
import Testing

/// The overview of the engine's memory for STATISTICS.
struct DeliveryEngineOverviewTests {
    @Test func `every recipient is in one column of its lane`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        harness.send(.message(2, lane: .bulk), to: 4...13)
        let deliveries = harness.pull(8)
        #expect(deliveries.count == 8)
        // Two recipients of the bulk message are to be tried later, and one has ended.
        let bulk = deliveries.filter { $0.message.id.rawValue == 2 }
        harness.complete(Array(bulk[0..<2]), .unknown)
        harness.complete([bulk[2]], .delivered)

        let overview = harness.engine.overview(limit: 10, at: harness.now)
        #expect(overview.lanes[.interactive] == .init(messages: 1, waiting: 0, delayed: 0, inFlight: 3))
        #expect(overview.lanes[.bulk] == .init(messages: 1, waiting: 5, delayed: 2, inFlight: 2))
        #expect(overview.throttles.isEmpty)
    }

    @Test func `the fastest messages come first then the oldest`() {
        var harness = EngineHarness()
        for id: UInt64 in 1...4 { harness.send(.message(id), to: (10 * id)...(10 * id + 4)) }
        let ended = harness.pull(100).filter { $0.message.id.rawValue == 3 }
        harness.complete(Array(ended.prefix(3)), .delivered)
        _ = harness.takeActions()

        let running = harness.engine.overview(limit: 3, at: harness.now).running
        #expect(running.map(\.id.rawValue) == [3, 1, 2])
        #expect(running.map(\.rate) == [3, 0, 0])
        #expect(running.map(\.inFlight) == [2, 5, 5])
        #expect(running[1].sendableSince == Timestamp(milliseconds: 1_790_000_000_000))
    }

    @Test func `a pool that is slowed down says how much`() {
        var harness = EngineHarness()
        harness.send(.message(1, lane: .bulk), to: 1...400)
        harness.complete(harness.pull(100), .tryLater(.serverBusy, afterMilliseconds: nil))
        harness.advance(1_000)
        _ = harness.pull(100)
        #expect(harness.engine.overview(limit: 1, at: harness.now).throttles == [PoolKey.production: 25])
    }
}
