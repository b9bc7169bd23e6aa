public import CarillonCore
import CarillonWire
import NIOCore

/// The events of the server, in order, across connections; made by `CarillonClient.events`.
///
/// ```swift
/// let events = try await client.events(name: "billing", kinds: [.messageFinished])
/// for try await element in events {
///     guard case .event(let event) = element else { continue }
///     try await store(event)
///     try events.acknowledge(upTo: event.sequence)
/// }
/// ```
///
/// At most `window` events wait in memory; the server sends more once they are consumed. When the connection is lost or
/// the server stops, the stream continues at the next address, after the last event received. It fails only when that
/// cannot help, for example when the key is no longer valid. It ends with `close()`, when the task that waits for an
/// event is cancelled, when the client is closed, and when the last reference to the stream is gone. Iterators of one
/// stream share its events: each event goes to one of them.
public struct EventStream: AsyncSequence, Sendable {
    /// An element of the stream: an event, a gap or a new history.
    public typealias Element = EventStreamElement
    /// The error that ends the stream if it cannot go on.
    public typealias Failure = CarillonError

    let subscription: ClientSubscription

    /// Acknowledges every event up to this number, so that the next subscription of the same name begins after it. Has
    /// no effect on a stream without a name.
    ///
    /// The client sends acknowledgements soon, several together; `flush` waits for them. The next subscription of the
    /// name gets all events that are not acknowledged again.
    ///
    /// - Throws: `.invalidArgument` for a number above the last one that the stream has returned.
    public func acknowledge(upTo sequence: UInt64) throws(CarillonError) {
        try subscription.acknowledge(upTo: sequence)
    }

    /// Sends the last acknowledgement, and ends the subscription and every iteration of it. Waits until the server has
    /// answered, or there is no connection.
    public func close() async {
        await subscription.close()
    }

    /// The number of the last event that the stream has received or skipped; for a new stream, the number of the event
    /// after which it begins.
    public var position: UInt64 { get async { await subscription.position() } }

    /// Waits until all acknowledgements so far are on the server's disk.
    ///
    /// - Throws: `.noAnswer` after the configuration's `requestTimeout`; the acknowledgements may still arrive after
    ///   that.
    public func flush() async throws(CarillonError) {
        try await subscription.flush()
    }

    /// Makes an iterator, which begins with the first event that no other iterator has returned.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// An iterator that returns the events as they come.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: ClientSubscription

        /// Waits for the next element and returns it; nil when the stream has ended.
        public mutating func next() async throws(CarillonError) -> EventStreamElement? {
            try await subscription.next()
        }

        /// Waits for the next element and returns it; nil when the stream has ended.
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
    ///   - name: the name under which the server keeps the acknowledgements, up to 64 bytes. Each principal has its own
    ///     names. Without a name, nothing is kept.
    ///   - start: where to begin.
    ///   - apps: only events of these apps, up to 64; nil means all apps that the client may observe.
    ///   - kinds: only events of these kinds, up to 64; nil means all kinds. Gaps always appear.
    ///   - window: the most events that wait in memory, at least 2.
    /// - Throws: `.invalidArgument` for an empty list of apps or kinds.
    public func events(
        name: String = "",
        from start: EventStart = .acknowledged,
        apps: [AppID]? = nil,
        kinds: [Event.Kind]? = nil,
        window: Int = 256
    ) async throws(CarillonError) -> EventStream {
        if apps?.isEmpty == true || kinds?.isEmpty == true {
            let field = apps?.isEmpty == true ? "apps" : "kinds"
            throw CarillonError(.invalidArgument, field: field, message: "the list is empty: leave it out for all")
        }
        let options = EventStreamOptions(
            name: name, start: start, apps: apps ?? [], kinds: kinds ?? [], window: window, timeout: timeout)
        let subscription = ClientSubscription(shared, options: options)
        try await subscription.open()
        return EventStream(subscription: subscription)
    }

    /// Removes a subscription name of this client's principal, together with its acknowledged position. The server
    /// keeps at most 100 names for each principal. An open stream of that name goes on, and its next acknowledgement
    /// creates the name again.
    ///
    /// - Parameter name: 1 to 64 bytes.
    /// - Returns: whether there was such a name.
    @discardableResult
    public func forgetEventSubscriber(_ name: String) async throws(CarillonError) -> Bool {
        try await request(ForgetSubscriberRequest(name: name))
    }
}

/// The place in the events of the server at which a stream begins.
public enum EventStart: Hashable, Sendable {
    /// The place after the last event acknowledged under this name. For a new name, or without a name, the next event.
    case acknowledged
    /// The next event.
    case now
    /// The oldest event that the server keeps.
    case oldest
    /// The place after the event of this number. Events that retention has removed since appear as a gap.
    case after(UInt64)
}
