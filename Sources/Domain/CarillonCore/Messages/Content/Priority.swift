/// The value of the header `apns-priority`.
public enum Priority: UInt8, Hashable, Sendable {
    /// The priority of a push that is delivered at once.
    case immediate = 10
    /// The priority of a push that is delivered when it suits the power state of the device.
    case powerAware = 5
    /// The priority of a push that never wakes the device.
    case never = 1
}
