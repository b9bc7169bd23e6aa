public import CarillonCore
import CarillonWire
import NIOCore
import Synchronization

/// Where a stream of events begins.
public enum EventStart: Hashable, Sendable {
    /// After the events that the subscription of this name has acknowledged; for a new name, or none, with the next
    /// event.
    case acknowledged
    /// With the next event.
    case now
    /// After the event of this number. Events that retention has removed since appear as a gap.
    case after(UInt64)
}

/// An element of a stream of events.
public enum EventStreamElement: Hashable, Sendable {
    /// An event.
    case event(Event)
    /// The events of these numbers are missing: the server does not keep them any more.
    case gap(Range<UInt64>)
    /// The server has another history than before: numbers start again, and events in between are not known.
    case newHistory
}

/// The events of the server, in order, across connections; made by `CarillonClient.events`.
///
/// ```swift
/// let events = try await client.events(name: "billing", kinds: [.messageFinished])
/// for try await element in events {
///     guard case .event(let event) = element else { continue }
///     try await store(event)
///     events.acknowledge(upTo: event.sequence)
/// }
/// ```
///
/// At most 1,024 events wait in memory: the server sends no more until they are consumed. When the connection is lost
/// the stream connects again and continues after the last event received; it fails only when that cannot help, for
/// example when the key is not valid any more. It ends when the task that waits for an event is cancelled, when the
/// client is closed, and when the last reference to the stream is gone. Iterators of one stream share its events: each
/// event goes to one of them.
public struct EventStream: AsyncSequence, Sendable {
    /// An event, or a gap.
    public typealias Element = EventStreamElement
    /// Why the stream cannot go on.
    public typealias Failure = CarillonError

    let subscription: ClientSubscription

    /// Acknowledges every event up to the one of this number: the next subscription of this name begins after it.
    /// Without effect on a stream without a name.
    ///
    /// Acknowledgements are sent soon and together; `flush` waits for them. Events that are not acknowledged come again
    /// on the next subscription of the name.
    public func acknowledge(upTo sequence: UInt64) {
        subscription.perform { $0.acknowledge(upTo: sequence) }
    }

    /// The number of the last event that the stream has received or passed over; of a new stream that of the event
    /// after which it begins.
    public var position: UInt64 { get async { await subscription.position() } }

    /// Waits until everything acknowledged so far is on the server's disk.
    ///
    /// - Throws: `timeout` after the configuration's `requestTimeout`; the acknowledgements may still arrive after
    ///   that.
    public func flush() async throws(CarillonError) {
        try await subscription.flush()
    }

    /// Begins with the first event that no other iterator has returned.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// Returns the events as they come.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: ClientSubscription

        /// The next element; waits for it. nil when the stream has ended.
        public mutating func next() async throws(CarillonError) -> EventStreamElement? {
            try await subscription.next()
        }

        /// The next element; waits for it. nil when the stream has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CarillonError)
            -> EventStreamElement?
        {
            try await subscription.next()
        }
    }
}

extension CarillonClient {
    /// Subscribes to the events of the server; returns when the server has accepted the subscription, so that no later
    /// event is missed.
    ///
    /// - Parameters:
    ///   - name: a name, up to 64 bytes, under which the server keeps the acknowledgements; each principal has names of its own.
    ///     Without one nothing is kept.
    ///   - start: where to begin.
    ///   - apps: only events of these apps, up to 64; empty = all that the client may observe.
    ///   - kinds: only events of these kinds, up to 64; empty = all. Gaps always appear.
    public func events(
        name: String = "",
        from start: EventStart = .acknowledged,
        apps: [AppID] = [],
        kinds: [Event.Kind] = []
    ) async throws(CarillonError) -> EventStream {
        let subscription = ClientSubscription(
            self, options: EventStreamOptions(name: name, start: start, apps: apps, kinds: kinds), eventLoop: eventLoop)
        try await subscription.open()
        return EventStream(subscription: subscription)
    }

    /// Removes a name of event subscriptions of this client's principal, with what it has acknowledged: the server keeps
    /// at most 100 names for each principal. A stream of that name that is open goes on; its next acknowledgement makes
    /// the name again.
    ///
    /// - Parameter name: 1 to 64 bytes.
    /// - Returns: whether there was such a name.
    @discardableResult
    public func forgetEventSubscriber(_ name: String) async throws(CarillonError) -> Bool {
        try await request(ForgetSubscriberRequest(name: name))
    }
}

/// The end of a subscription that tasks use: it calls the consumer on its event loop, and ends it when the last stream
/// is gone.
final class ClientSubscription: Sendable {
    private struct Buffer {
        /// In reverse: the next element is the last.
        var elements: [EventStreamElement] = []
        /// Elements received since the last report of consumed ones.
        var consumed = 0
    }

    private let client: CarillonClient
    private let eventLoop: any EventLoop
    private let consumer: NIOLoopBoundBox<EventConsumer>
    private let buffer = Mutex(Buffer())
    private let lastOrder = Atomic<UInt64>(0)

    init(_ client: CarillonClient, options: EventStreamOptions, eventLoop: any EventLoop) {
        self.client = client
        self.eventLoop = eventLoop
        consumer = NIOLoopBoundBox.makeBoxSendingValue(
            EventConsumer(options, configuration: client.configuration, eventLoop: eventLoop), eventLoop: eventLoop)
    }

    deinit {
        let consumer = consumer
        eventLoop.execute { consumer.value.end(nil) }
    }

    /// Runs `body` on the event loop, in the order of the calls.
    func perform(_ body: @escaping @Sendable (EventConsumer) -> Void) {
        eventLoop.execute { [consumer] in body(consumer.value) }
    }

    /// Waits until the server has accepted the subscription.
    func open() async throws(CarillonError) {
        let client = client
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) in
                perform { consumer in
                    consumer.opening = continuation
                    client.begin(consumer)
                }
            }
        } onCancel: {
            perform { $0.end(.taskCancelled) }
        }
        try result.get()
        if Task.isCancelled { throw .taskCancelled }
    }

    /// The next element; waits for it. nil when the subscription has ended.
    func next() async throws(CarillonError) -> EventStreamElement? {
        while true {
            if let element = buffer.withLock({ $0.elements.popLast() }) { return element }
            let consumed = buffer.withLock { buffer in
                defer { buffer.consumed = 0 }
                return buffer.consumed
            }
            let batch = await withTaskCancellationHandler {
                await withCheckedContinuation { (waiter: EventConsumer.Waiter) in
                    perform { $0.next(afterConsuming: consumed, waiter) }
                }
            } onCancel: {
                perform { $0.end(nil) }
            }
            guard let batch = try batch.get() else { return nil }
            buffer.withLock { buffer in
                buffer.elements = batch.reversed() + buffer.elements
                buffer.consumed += batch.count
            }
        }
    }

    /// The number of the last event that was received or passed over.
    func position() async -> UInt64 {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: $0.lastSequence) }
        }
    }

    /// Waits until what was acknowledged is durable.
    func flush() async throws(CarillonError) {
        let id = lastOrder.add(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) in
                perform { $0.flush(id, continuation) }
            }
        } onCancel: {
            perform { $0.abandonFlush(id, .taskCancelled) }
        }
        try result.get()
    }
}

extension CarillonError {
    /// The task that waited was cancelled.
    static let taskCancelled = CarillonError(.cancelled, retryAfter: .zero, message: "the task was cancelled")
}
