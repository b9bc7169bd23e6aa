/// A message update: a change of an accepted message (UPDATE_MESSAGE).
public enum MessageUpdate: Hashable, Sendable {
    /// Stops sending; every recipient without an outcome ends as `cancelled`.
    case cancel
    /// Stops sending until the message is resumed. Pushes that are already on their way still get their outcome.
    case pause
    /// Continues after a pause; a scheduled message starts now.
    case resume
    /// Limits the deliveries a second from now on; nil removes the limit.
    case pace(UInt32?)
}
