import Testing

@testable import CarillonClient

/// The elements of a subscription go to the tasks that wait, and at the end the tasks are told.
struct ElementQueueTests {
    /// Waits with a task that the queue gets.
    private func next(
        _ body: (ElementQueue.Waiter) -> Void
    ) async -> Result<[EventStreamElement]?, CarillonError> {
        await withCheckedContinuation { body($0) }
    }

    @Test func `a task takes at most one batch of elements`() async {
        var queue = ElementQueue()
        for first in 1...3 as ClosedRange<UInt64> { queue.append(.gap(first..<first + 1)) }
        let result = await next {
            queue.append($0)
            queue.deliver(atMost: 2)
        }
        #expect(result == .success([.gap(1..<2), .gap(2..<3)]))
        #expect(queue.count == 1)
        #expect(queue.deliveredCount == 2)
        queue.removeElements()
        #expect(queue.count == 0)
        #expect(queue.deliveredCount == 2)
    }

    @Test(arguments: [nil, CarillonError.taskCancelled])
    func `the end is told to tasks that wait`(error: CarillonError?) async {
        var queue = ElementQueue()
        let result = await next {
            queue.append($0)
            queue.deliver(atMost: 2)
            queue.end(with: error)
        }
        #expect(result == error.map { .failure($0) } ?? .success(nil))
    }
}
