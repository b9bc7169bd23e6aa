/// The lane of a message: the queue in which its deliveries wait.
public enum Lane: UInt8, Hashable, Sendable, CaseIterable {
    /// A user waits for the message.
    case interactive = 1
    /// A fan-out to many devices.
    case bulk = 2
}
