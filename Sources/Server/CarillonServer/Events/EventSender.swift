import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Sends the events of one session's subscriptions: reads the events page by page, and sends as many as the client's
/// credit allows (Protocol 11).
///
/// Confined to the connection's event loop.
final class EventSender {
    private let hub: EventHub
    private let reader: any EventPageReader
    private let loop: any EventLoop
    /// The subscriptions that are answered, by the id of their request.
    private var subscriptions: [UInt64: EventSubscription] = [:]
    /// The subscriptions that are not answered yet, by the id of their request.
    private var pending: [UInt64: (request: SubscribeEventsRequest, principal: Principal)] = [:]
    /// The read scheduler of the loop; set with the first subscription, until `end`.
    private var scheduler: EventReadScheduler?
    private var hasEnded = false

    /// The handler of new events and of pages that were read, called on the loop: the owner calls `send`.
    var onEvents: (() -> Void)?

    init(hub: EventHub, reader: any EventPageReader, loop: any EventLoop) {
        self.hub = hub
        self.reader = reader
        self.loop = loop
    }

    /// True if there are subscriptions.
    var isActive: Bool { !subscriptions.isEmpty || !pending.isEmpty }

    // MARK: Subscriptions

    func subscriptionRequested(_ request: SubscribeEventsRequest, in context: RequestContext) {
        pending[context.id] = (request, context.principal)
    }

    /// Forgets a subscription whose SUBSCRIBE_EVENTS was refused.
    func subscriptionRefused(_ id: UInt64) {
        pending[id] = nil
    }

    /// Begins a subscription whose SUBSCRIBE_EVENTS was answered: the events after `sequence` are sent.
    func subscriptionBegan(_ id: UInt64, after sequence: UInt64) {
        guard let (request, principal) = pending.removeValue(forKey: id),
            let filter = reader.filter(of: request, for: principal)
        else { return }
        let subscriber =
            request.name.isEmpty ? nil : EventSubscriber(principal: principal.name, name: request.name)
        subscriptions[id] = EventSubscription(
            of: principal.name, subscriber: subscriber, filter: filter, after: sequence)
    }

    /// Returns the subscriber whose acknowledgements are stored; nil if the subscription has no name.
    func subscriber(of id: UInt64) -> EventSubscriber? { subscriptions[id]?.subscriber }

    /// Ends a subscription for the client, maybe before it was answered.
    func subscriptionEnded(_ id: UInt64) {
        subscriptions[id] = nil
        pending[id] = nil
    }

    func removeAll() {
        subscriptions = [:]
        pending = [:]
    }

    /// Ends all subscriptions and reads: the connection has ended.
    func end() {
        hasEnded = true
        removeAll()
        scheduler?.remove(self)
        scheduler = nil
    }

    // MARK: Events

    /// Sends the events that the client's credit allows now. A subscription that has sent its whole page asks for the
    /// next one.
    func send(through session: inout ServerSession, isWritable: Bool) {
        guard !hasEnded, !subscriptions.isEmpty else { return }
        let scheduler = startScheduler()
        let newest = hub.newestSequence
        for id in subscriptions.keys {
            subscriptions[id]?.sendUnsent { notice in isWritable && session.sendEvent(notice, on: id) }
            // Nothing is read that the client does not take: a page for each of many subscriptions would fill the
            // memory.
            guard isWritable, session.hasCredit(id), subscriptions[id]?.beginReading(newest: newest) == true
            else { continue }
            scheduler.schedule { [self] done in readPage(of: id, done) }
        }
    }

    private func startScheduler() -> EventReadScheduler {
        if let scheduler { return scheduler }
        let scheduler = hub.scheduler(on: loop)
        scheduler.add(self) { [unowned self] in onEvents?() }
        self.scheduler = scheduler
        return scheduler
    }

    /// Reads the next page of a subscription and sends it; then calls `done` on the loop. Returns false if the
    /// subscription has ended.
    private func readPage(of id: UInt64, _ done: @escaping () -> Void) -> Bool {
        guard !hasEnded, let subscription = subscriptions[id] else { return false }
        let bound = NIOLoopBound((self, done), eventLoop: loop)
        reader.readEvents(
            after: subscription.readUpTo, matching: subscription.filter, for: subscription.principal
        ) { [loop] page in
            loop.execute {
                let (sender, done) = bound.value
                sender.pageRead(page, of: id)
                done()
            }
        }
        return true
    }

    private func pageRead(_ page: EventPage?, of id: UInt64) {
        guard !hasEnded else { return }
        subscriptions[id]?.pageRead(page, at: Clock.wallTime())
        // A page that could not be read is read when the next event comes.
        if page != nil { onEvents?() }
    }
}

/// A reader of events for subscriptions: `RegistryEventReader`, or a test.
protocol EventPageReader: Sendable {
    /// Returns the filter of a subscription: only apps that the client may observe; nil if it may observe none.
    func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter?

    /// Reads a page of events; `completion` is called on any thread, with nil if the page could not be read.
    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void)
}
