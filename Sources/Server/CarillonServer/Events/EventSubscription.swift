import CarillonCore
import CarillonWire

/// One subscription of events: the number up to which events were read, and the events of the last page that are not
/// sent yet.
///
/// Holds at most one page.
struct EventSubscription {
    /// The number of events in a page: few, because a loop does not see its sockets while it sends them.
    static let eventsPerPage = 64

    /// The name of the client.
    let principal: String
    /// The subscriber whose acknowledgements are stored; nil if the subscription has no name.
    let subscriber: EventSubscriber?
    let filter: EventFilter
    /// The number up to which every event was read.
    private(set) var readUpTo: UInt64
    private var isReading = false
    /// The events that are not sent yet, the newest first.
    private var unsent: [EventNotice] = []

    init(of principal: String, subscriber: EventSubscriber?, filter: EventFilter, after sequence: UInt64) {
        self.principal = principal
        self.subscriber = subscriber
        self.filter = filter
        readUpTo = sequence
    }

    /// Returns true if a page must be read now, and counts its read as begun: every event was sent, no page is being
    /// read, and there are newer events.
    mutating func beginReading(newest: UInt64) -> Bool {
        guard unsent.isEmpty, !isReading, readUpTo < newest else { return false }
        isReading = true
        return true
    }

    /// Takes the page that was read; nil if the read has failed, and then the page is read again later.
    mutating func pageRead(_ page: EventPage?, at now: Timestamp) {
        isReading = false
        guard let page else { return }
        readUpTo = max(readUpTo, page.upTo)
        if let missed = page.missed, !missed.isEmpty { unsent.append(.gap(missed: missed, at: now)) }
        unsent += page.events.map(EventNotice.event)
        unsent.reverse()
    }

    /// Passes the unsent events to `send`, in order, until it returns false.
    mutating func sendUnsent(_ send: (EventNotice) -> Bool) {
        while let notice = unsent.last, send(notice) { unsent.removeLast() }
    }
}
