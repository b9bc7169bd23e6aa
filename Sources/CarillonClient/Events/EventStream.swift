public import CarillonCore
import CarillonWire
import NIOCore
import Synchronization

/// Where a stream of events begins.
public enum EventStart: Hashable, Sendable {
    /// After what the subscription of this name has acknowledged; of a new name, or of none, with what happens from now on.
    case acknowledged
    /// With what happens from now on.
    case now
    /// After the event of this number. What retention has removed since is told as a gap.
    case after(UInt64)
}

/// What a stream of events tells.
public enum EventStreamElement: Hashable, Sendable {
    /// Something has happened.
    case event(Event)
    /// Events of these numbers were not told: the server keeps them no longer.
    case gap(Range<UInt64>)
    /// The server has another history than before: numbers begin anew, and nothing is known of the time between.
    case newHistory
}

/// What happens on the server, in order, from one connection to the next; made by `CarillonClient.events`.
///
/// ```swift
/// let events = try await client.events(name: "billing", kinds: [.messageFinished])
/// for try await news in events {
///     guard case .event(let event) = news else { continue }
///     try await store(event)
///     events.acknowledge(upTo: event.sequence)
/// }
/// ```
///
/// At most 1,024 events wait in memory: the server sends no more until they are consumed. When the connection is lost the
/// stream connects again and goes on after the last event it has got; it fails only when that cannot help, as when the
/// key is no longer good. It ends when the task that waits for an event is cancelled, when the client is closed, and when
/// nobody holds the stream any more. Iterators of one stream share its events: each goes to one of them.
public struct EventStream: AsyncSequence, Sendable {
    /// An event, or what is missing.
    public typealias Element = EventStreamElement
    /// Why the stream cannot go on.
    public typealias Failure = CarillonError

    let subscription: ClientSubscription

    /// Acknowledges every event up to the one of this number: a subscription of this name goes on after it, whoever makes
    /// it and whenever. Of a stream without a name it does nothing.
    ///
    /// The server is told soon, of many acknowledgements at once; `flush` waits for it. What is not acknowledged in time
    /// is told again to the next subscription of the name.
    public func acknowledge(upTo sequence: UInt64) {
        subscription.perform { $0.acknowledge(upTo: sequence) }
    }

    /// Waits until everything acknowledged so far is on the server's disk.
    ///
    /// - Throws: `timeout` after the configuration's `requestTimeout`; the acknowledgements are still under way then.
    public func flush() async throws(CarillonError) {
        try await subscription.flush()
    }

    /// Begins with the first event that no other iterator has got.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// Goes through the events as they come.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: ClientSubscription

        /// The next event; waits for it. Nothing when the stream has ended.
        public mutating func next() async throws(CarillonError) -> EventStreamElement? {
            try await subscription.next()
        }

        /// The next event; waits for it. Nothing when the stream has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CarillonError)
            -> EventStreamElement?
        {
            try await subscription.next()
        }
    }
}

extension CarillonClient {
    /// Subscribes to what happens on the server; returns when the server has agreed, so that nothing after it is missed.
    ///
    /// - Parameters:
    ///   - name: a name, up to 64 bytes, under which the server keeps what was acknowledged; the names of others are not
    ///     touched. Without one nothing is kept.
    ///   - start: where to begin.
    ///   - apps: only events of these apps, up to 64; empty = all that the client may observe.
    ///   - kinds: only events of these kinds, up to 64; empty = all. Gaps are told in any case.
    public func events(
        name: String = "",
        from start: EventStart = .acknowledged,
        apps: [AppID] = [],
        kinds: [Event.Kind] = []
    ) async throws(CarillonError) -> EventStream {
        let subscription = ClientSubscription(
            self, EventStreamOptions(name: name, start: start, apps: apps, kinds: kinds), eventLoop)
        try await subscription.open()
        return EventStream(subscription: subscription)
    }
}

/// The consumers' end of a feed: hands the orders of tasks to its event loop, and ends it when nobody is left.
final class ClientSubscription: Sendable {
    private struct Hand {
        /// In reverse: the next in line is the last.
        var news: [EventStreamElement] = []
        /// Elements got since the feed was told that they are consumed.
        var got = 0
    }

    private let client: CarillonClient
    private let eventLoop: any EventLoop
    private let feed: NIOLoopBoundBox<EventConsumer>
    private let hand = Mutex(Hand())
    private let lastOrder = Atomic<UInt64>(0)

    init(_ client: CarillonClient, _ order: EventStreamOptions, _ eventLoop: any EventLoop) {
        self.client = client
        self.eventLoop = eventLoop
        feed = NIOLoopBoundBox.makeBoxSendingValue(
            EventConsumer(order, client.configuration, eventLoop), eventLoop: eventLoop)
    }

    deinit {
        let feed = feed
        eventLoop.execute { feed.value.end(nil) }
    }

    /// Does something to the feed, in the order of the calls.
    func perform(_ body: @escaping @Sendable (EventConsumer) -> Void) {
        eventLoop.execute { [feed] in body(feed.value) }
    }

    /// Waits until the server has agreed to the subscription.
    func open() async throws(CarillonError) {
        let client = client
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) in
                perform { feed in
                    feed.opening = continuation
                    client.begin(feed)
                }
            }
        } onCancel: {
            perform { $0.end(.taskCancelled) }
        }
        try result.get()
        if Task.isCancelled { throw .taskCancelled }
    }

    /// The next in line; waits for it. Nothing when the feed has ended.
    func next() async throws(CarillonError) -> EventStreamElement? {
        while true {
            if let news = hand.withLock({ $0.news.popLast() }) { return news }
            let consumed = hand.withLock { hand in
                defer { hand.got = 0 }
                return hand.got
            }
            let batch = await withTaskCancellationHandler {
                await withCheckedContinuation { (waiter: EventConsumer.Waiter) in
                    perform { $0.take(afterConsuming: consumed, waiter) }
                }
            } onCancel: {
                perform { $0.end(nil) }
            }
            guard let batch = try batch.get() else { return nil }
            hand.withLock { hand in
                hand.news = batch.reversed() + hand.news
                hand.got += batch.count
            }
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
