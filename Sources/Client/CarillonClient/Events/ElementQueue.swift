import NIOCore

/// The elements of a subscription that wait to be consumed, and the tasks that wait for elements.
struct ElementQueue {
    /// The continuation of a task that waits for the next elements; nil is the end.
    typealias Waiter = CheckedContinuation<Result<[EventStreamElement]?, CarillonError>, Never>

    private var elements = CircularBuffer<EventStreamElement>()
    private var waiters = CircularBuffer<Waiter>()
    /// The number of elements handed to tasks in all.
    private(set) var deliveredCount = 0

    var count: Int { elements.count }

    mutating func append(_ element: EventStreamElement) { elements.append(element) }

    mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

    /// Drops the elements that wait to be taken; the waiters stay.
    mutating func removeElements() { elements.removeAll() }

    /// Hands elements to the tasks that wait for them, at most `maximumCount` to each.
    mutating func deliver(atMost maximumCount: Int) {
        while !waiters.isEmpty, !elements.isEmpty {
            let next = Array(elements.prefix(maximumCount))
            elements.removeFirst(next.count)
            deliveredCount += next.count
            waiters.removeFirst().resume(returning: .success(next))
        }
    }

    /// Hands the end to the tasks that wait: the error, or nil if the subscription ended without one.
    mutating func end(with error: CarillonError?) {
        while let waiter = waiters.popFirst() {
            waiter.resume(returning: error.map { .failure($0) } ?? .success(nil))
        }
    }
}
