public import CarillonCore

/// An element of a stream of events.
public enum EventStreamElement: Hashable, Sendable {
    /// The next event, in the order of the numbers.
    case event(Event)
    /// The events of these numbers are missing, because the server no longer keeps them.
    case gap(Range<UInt64>)
    /// The server has a different history than before. Its numbers start again, and events in between may be missing.
    case newHistory
}
