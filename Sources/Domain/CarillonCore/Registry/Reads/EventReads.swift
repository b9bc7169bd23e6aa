/// Reads of events and of the acknowledgements of their subscribers. They show every answered change, may be made on
/// any thread, and may block on the disk.
package protocol EventReads: AnyObject, Sendable {
    /// Returns the number of the newest event; 0 before the first.
    func newestEventSequence() throws(RegistryError) -> UInt64

    /// Returns the number of the oldest event that is kept; nil if no event is kept.
    func oldestEventSequence() throws(RegistryError) -> UInt64?

    /// Returns the events after a number, in order; at most `limit`, looking at no more than
    /// `RegistryLimits.eventsPerRead`.
    func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage

    /// Returns the number of the last event that a subscriber has acknowledged; nil if there is no such subscriber.
    func acknowledgedSequence(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64?
}

/// A page of events, as one filter admits them.
package struct EventPage: Hashable, Sendable {
    /// The events that the filter admits, ascending.
    package var events: [Event]
    /// The last number that was examined: the next page begins after it.
    package var upTo: UInt64
    /// True if more events follow.
    package var hasMore: Bool
    /// The range of events after the requested number that retention has removed: `missed.upperBound` is the oldest
    /// event that is left. nil if no such event was removed.
    package var missed: Range<UInt64>?

    package init(events: [Event], upTo: UInt64, hasMore: Bool, missed: Range<UInt64>? = nil) {
        self.events = events
        self.upTo = upTo
        self.hasMore = hasMore
        self.missed = missed
    }
}

/// A named reader of events whose position is stored; the name belongs to a principal.
package struct EventSubscriber: Hashable, Sendable {
    package var principal: String
    /// The name of the subscriber, 1 to 64 bytes.
    package var name: String

    package init(principal: String, name: String) {
        self.principal = principal
        self.name = name
    }
}
