/// A message update: a change of an accepted message (UPDATE_MESSAGE).
public enum MessageUpdate: Hashable, Sendable {
    /// An update that stops sending; every recipient without an outcome ends as `cancelled`.
    case cancel
    /// An update that stops sending until the message is resumed; pushes that are already submitted keep their answer.
    case pause
    /// An update that continues after a pause; a scheduled message starts now.
    case resume
    /// An update that limits the deliveries a second from now on; nil removes the limit.
    case pace(UInt32?)
}
