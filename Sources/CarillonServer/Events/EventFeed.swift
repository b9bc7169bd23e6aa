import CarillonCore
import CarillonWire

/// One subscription of events: how far it has been told, and the page that is being told. Bounded by one page.
struct EventFeed {
    /// Events read at a time: few, because a loop is away from its sockets while it tells them.
    static let page = 64

    /// Who acknowledges, if the subscription has a name.
    let subscriber: EventSubscriber?
    let filter: EventFilter
    /// Everything up to this number was read.
    private(set) var readUpTo: UInt64
    private(set) var isReading = false
    private var waiting: [EventNotice] = []

    /// Begins after a number.
    init(subscriber: EventSubscriber?, filter: EventFilter, after sequence: UInt64) {
        self.subscriber = subscriber
        self.filter = filter
        readUpTo = sequence
    }

    /// Whether a page is to be read: nothing waits to be told, and there is something newer.
    func wantsPage(newest: UInt64) -> Bool { waiting.isEmpty && !isReading && readUpTo < newest }

    /// A page is being read.
    mutating func readingBegins() {
        isReading = true
    }

    /// A page was read; nil if it could not be, and then it is asked for again.
    mutating func read(_ page: EventPage?, at now: Timestamp) {
        isReading = false
        guard let page else { return }
        readUpTo = max(readUpTo, page.upTo)
        if let missed = page.missed, !missed.isEmpty { waiting.append(.gap(missed: missed, at: now)) }
        waiting += page.events.map(EventNotice.event)
        // The next in line is the last of the array.
        waiting.reverse()
    }

    /// Tells `tell` what waits, in order, until it says no.
    mutating func tell(_ tell: (EventNotice) -> Bool) {
        while let notice = waiting.last, tell(notice) { waiting.removeLast() }
    }
}
