/// The state of a device, which decides whether it can be sent to.
public enum DeviceState: UInt8, Hashable, Sendable {
    /// The device can be sent to.
    case active = 1
    /// The provider has declared the token dead. The device is in no audience until it registers again.
    case quarantined = 2
}
