import CarillonCore
import NIOCore
import Synchronization

/// A subscription of events as tasks use it, from any thread: the half of an `EventStream` that waits. The other half,
/// the `EventConsumer`, is confined to its event loop, and ends when the last reference to the stream is gone.
final class ClientSubscription: Sendable {
    private struct Buffer {
        /// The elements that are not returned yet, in reverse: the next element is the last.
        var elements: [EventStreamElement] = []
        /// The number of elements taken since the consumer was told.
        var unreportedCount = 0
        /// The number of the last event that was returned, in the history that was returned last.
        var returned: UInt64 = 0
        var history = 0
    }

    private let shared: SharedClient
    private let taken: TakenCount
    private let consumer: NIOLoopBoundBox<EventConsumer>
    private let reportsAfterCount: Int
    private let buffer = Mutex(Buffer())
    private let lastFlush = Atomic<UInt64>(0)

    init(_ shared: SharedClient, options: EventStreamOptions) {
        self.shared = shared
        let consumer = EventConsumer(options, configuration: shared.configuration, eventLoop: shared.eventLoop)
        reportsAfterCount = consumer.batchCount
        taken = options.taken
        self.consumer = NIOLoopBoundBox.makeBoxSendingValue(consumer, eventLoop: shared.eventLoop)
    }

    deinit {
        let consumer = consumer
        shared.eventLoop.execute { consumer.value.close(discarding: true) }
    }

    /// Runs `body` on the event loop, in the order of the calls.
    func perform(_ body: @escaping @Sendable (EventConsumer) -> Void) {
        shared.eventLoop.execute { [consumer] in body(consumer.value) }
    }

    /// Waits until the server has accepted the subscription.
    func open() async throws(CarillonError) {
        let shared = shared
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) in
                perform { consumer in
                    consumer.whenOpen(continuation)
                    shared.begin(consumer)
                }
            }
        } onCancel: {
            perform { $0.end(.taskCancelled) }
        }
        try result.get()
        if Task.isCancelled { throw .taskCancelled }
    }

    /// Waits for the next element and returns it; nil when the subscription has ended.
    func next() async throws(CarillonError) -> EventStreamElement? {
        while true {
            if let element = take() { return element }
            let batch = await withTaskCancellationHandler {
                await withCheckedContinuation { (waiter: ElementQueue.Waiter) in
                    perform { $0.next(waiter) }
                }
            } onCancel: {
                perform { $0.close(discarding: true) }
            }
            guard let batch = try batch.get() else { return nil }
            buffer.withLock { $0.elements = batch.reversed() + $0.elements }
        }
    }

    /// Takes the next element in memory; nil if there is none.
    private func take() -> EventStreamElement? {
        let (element, isDue) = buffer.withLock { buffer -> (EventStreamElement?, Bool) in
            guard let element = buffer.elements.popLast() else { return (nil, false) }
            switch element {
            case .event(let event): buffer.returned = max(buffer.returned, event.sequence)
            case .gap(let missed): buffer.returned = max(buffer.returned, missed.upperBound - min(missed.upperBound, 1))
            case .newHistory:
                buffer.returned = 0
                buffer.history += 1
            }
            taken.increment()
            buffer.unreportedCount += 1
            guard buffer.unreportedCount >= reportsAfterCount else { return (element, false) }
            buffer.unreportedCount = 0
            return (element, true)
        }
        // Credit can be due.
        if isDue { perform { $0.onReady() } }
        return element
    }

    /// Acknowledges the events up to a number that was returned.
    func acknowledge(upTo sequence: UInt64) throws(CarillonError) {
        let (returned, history) = buffer.withLock { ($0.returned, $0.history) }
        guard sequence <= returned else {
            throw CarillonError(
                .invalidArgument, field: "sequence", message: "the stream has not returned event \(sequence) yet")
        }
        perform { $0.acknowledge(upTo: sequence, history: history) }
    }

    func close() async {
        buffer.withLock { $0.elements = [] }
        await withCheckedContinuation { continuation in
            perform { consumer in
                consumer.close(discarding: true)
                consumer.whenEnded { continuation.resume() }
            }
        }
    }

    /// Returns the number of the last event that was received or passed over.
    func position() async -> UInt64 {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: $0.lastSequence) }
        }
    }

    /// Waits until everything that was acknowledged is durable.
    func flush() async throws(CarillonError) {
        let id = lastFlush.add(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) in
                perform { $0.flush(id, continuation: continuation) }
            }
        } onCancel: {
            perform { $0.abandonFlush(id, with: .taskCancelled) }
        }
        try result.get()
    }
}

/// The options of a subscription of events, as a caller gives them.
struct EventStreamOptions: Sendable {
    let name: String
    let start: EventStart
    let apps: [AppID]
    let kinds: [Event.Kind]
    let window: Int
    let timeout: Duration
    /// The count of the elements that the program has taken, which the program raises itself.
    let taken = TakenCount()
}

/// A count that the tasks of the program raise and the event loop reads.
final class TakenCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}
