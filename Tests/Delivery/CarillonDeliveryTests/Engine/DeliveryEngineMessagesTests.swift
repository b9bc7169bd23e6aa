import CarillonCore
import CarillonDelivery
import Testing

/// The engine takes its messages from the outbox: each is read once, and none is missed.
struct DeliveryEngineMessagesTests {
    @Test func `a started engine reads the queues and then their messages`() {
        var harness = EngineHarness(startedWith: DeliveryEngine.Limits())
        #expect(harness.readRequests() == ["the queues"])
        #expect(harness.readRequests().isEmpty, "asked once")

        harness.engine.queuesRead([EngineHarness.queue])
        #expect(harness.readRequests() == ["messages after none, at most 1024"])
        #expect(harness.readRequests().isEmpty, "asked once")

        harness.outboxRead([3, 4])
        #expect(
            harness.readRequests() == ["messages after 4, at most 1022", "the next page of 3", "the next page of 4"])
        harness.outboxRead([], isEnd: true)
        #expect(harness.readRequests().isEmpty)
    }

    @Test func `queues that could not be read are requested again`() {
        var harness = EngineHarness(startedWith: DeliveryEngine.Limits())
        #expect(harness.readRequests() == ["the queues"])
        harness.engine.queuesUnreadable()
        #expect(harness.readRequests() == ["the queues"])
    }

    @Test func `messages that cannot be read are skipped`() {
        var harness = EngineHarness.readingOutbox()
        harness.outboxRead([3], upTo: 5)
        #expect(harness.readRequests() == ["messages after 5, at most 1023", "the next page of 3"])
        harness.outboxRead([], upTo: 6, isEnd: true)
        #expect(harness.readRequests().isEmpty)
    }

    @Test func `a message that is accepted during an outbox read is found by the next read`() {
        var harness = EngineHarness.readingOutbox()
        harness.accept(5...5)
        #expect(harness.readRequests().isEmpty)
        // The read began before message 5 was accepted, so it has not found it.
        harness.outboxRead([4], isEnd: true)
        #expect(harness.readRequests() == ["messages after 4, at most 1023", "the next page of 4"])
        harness.outboxRead([5], isEnd: true)
        #expect(harness.readRequests() == ["the next page of 5"])
    }

    @Test func `a message that is resumed behind an outbox read is found by the next read`() {
        var harness = EngineHarness.readingOutbox()
        // The read began while message 5 was paused, and has passed it over.
        harness.accept(5...5)
        harness.outboxRead([4, 6], isEnd: true)
        #expect(
            harness.readRequests() == ["messages after 4, at most 1022", "the next page of 4", "the next page of 6"])
        harness.outboxRead([5, 6], isEnd: true)
        #expect(harness.readRequests() == ["the next page of 5"])
    }

    @Test func `a message that was read and is then accepted is added once`() {
        var harness = EngineHarness(outbox: [.message(5)])
        #expect(harness.readRequests() == ["the next page of 5"])
        harness.accept(5...5)
        #expect(harness.readRequests().isEmpty)
    }

    @Test func `queues that are read together share the room`() {
        var limits = DeliveryEngine.Limits()
        limits.messages = 100
        limits.reservedMessagesPerQueue = 5
        var harness = EngineHarness(startedWith: limits)
        let tenApps = (0..<10).compactMap { AppID("com.example.app\($0)") }
        harness.engine.queuesRead(Set(tenApps.map { OutboxQueue(lane: .bulk, app: $0) }))
        let half = "messages after none, at most 50"
        let own = "messages after none, at most 5"
        #expect(
            harness.readRequests() == [half, half] + Array(repeating: own, count: 8),
            "two queues fill the memory, and each other has the room of its own")
    }
}
