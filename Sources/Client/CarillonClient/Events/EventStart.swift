public import CarillonCore
import CarillonWire

/// The place in the events of the server at which a stream begins.
public enum EventStart: Hashable, Sendable {
    /// The place after the events that the subscription of this name has acknowledged; for a new name, or none, the
    /// next event.
    case acknowledged
    /// The next event.
    case now
    /// The oldest event that the server keeps.
    case oldest
    /// The place after the event of this number. Events that retention has removed since appear as a gap.
    case after(UInt64)
}
