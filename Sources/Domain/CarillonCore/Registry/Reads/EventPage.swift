/// A page of events, as one filter admits them.
package struct EventPage: Hashable, Sendable {
    /// The events that the filter admits, ascending.
    package var events: [Event]
    /// The last number that was examined: the next page begins after it.
    package var upTo: UInt64
    /// True if more events follow.
    package var hasMore: Bool
    /// The range of events after the requested number that retention has removed: `missed.upperBound` is the oldest
    /// event that is left. Nil if no such event was removed.
    package var missed: Range<UInt64>?

    package init(events: [Event], upTo: UInt64, hasMore: Bool, missed: Range<UInt64>? = nil) {
        self.events = events
        self.upTo = upTo
        self.hasMore = hasMore
        self.missed = missed
    }
}
