/// The events that a subscriber wants.
public struct EventFilter: Hashable, Sendable {
    /// The apps; empty for all events, also events that concern no app.
    public var apps: Set<AppID>
    /// The kinds; empty for all kinds.
    public var kinds: Set<Event.Kind>

    /// Makes a filter; without arguments, it admits every event.
    public init(apps: Set<AppID> = [], kinds: Set<Event.Kind> = []) {
        self.apps = apps
        self.kinds = kinds
    }

    /// Returns true if an event passes the filter.
    public func admits(_ event: Event) -> Bool {
        let isApp = apps.isEmpty || event.app.map(apps.contains) ?? false
        return isApp && (kinds.isEmpty || kinds.contains(event.kind))
    }
}
