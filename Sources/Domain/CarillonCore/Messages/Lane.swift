/// The lane of a message: the queue in which its deliveries wait.
public enum Lane: UInt8, Hashable, Sendable, CaseIterable {
    /// The lane of messages that a user waits for.
    case interactive = 1
    /// The lane of messages to many devices.
    case bulk = 2
}
