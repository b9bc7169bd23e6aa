/// The value of the header `apns-priority`.
public enum Priority: UInt8, Hashable, Sendable {
    /// Delivered at once.
    case immediate = 10
    /// Delivered when it suits the power state of the device.
    case powerAware = 5
    /// Never wakes the device.
    case never = 1
}
