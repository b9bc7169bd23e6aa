/// Which events a subscriber wants.
public struct EventFilter: Hashable, Sendable {
    /// Apps; empty = all, and then also what concerns no app.
    public var apps: Set<AppID>
    /// Kinds; empty = all.
    public var kinds: Set<Event.Kind>

    /// Makes a filter.
    public init(apps: Set<AppID> = [], kinds: Set<Event.Kind> = []) {
        self.apps = apps
        self.kinds = kinds
    }

    /// Whether an event passes.
    public func admits(_ event: Event) -> Bool {
        let isApp = apps.isEmpty || event.app.map(apps.contains) ?? false
        return isApp && (kinds.isEmpty || kinds.contains(event.kind))
    }
}

/// A page of events.
package struct EventPage: Hashable, Sendable {
    /// Ascending; those that the filter admits.
    package var events: [Event]
    /// Up to which number was looked: the next page begins after it.
    package var upTo: UInt64
    /// Whether more events follow.
    package var hasMore: Bool
    /// Events after the asked number that retention has removed: `missed.upperBound` is the oldest that is left.
    package var missed: Range<UInt64>?

    /// Makes a page.
    package init(events: [Event], upTo: UInt64, hasMore: Bool, missed: Range<UInt64>? = nil) {
        self.events = events
        self.upTo = upTo
        self.hasMore = hasMore
        self.missed = missed
    }
}

/// Who reads events and says how far: a name that belongs to a principal.
package struct EventSubscriber: Hashable, Sendable {
    /// The principal.
    package var principal: String
    /// The name, 1 to 64 bytes.
    package var name: String

    /// Makes a subscriber.
    package init(principal: String, name: String) {
        self.principal = principal
        self.name = name
    }
}
