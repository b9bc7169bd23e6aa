public import CarillonCore

/// An element of a stream of events.
public enum EventStreamElement: Hashable, Sendable {
    /// The next event, in the order of the numbers.
    case event(Event)
    /// The events of these numbers are missing: the server does not keep them any more.
    case gap(Range<UInt64>)
    /// The server has another history than before: numbers start again, and events in between are not known.
    case newHistory
}
