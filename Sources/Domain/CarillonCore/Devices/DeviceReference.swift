/// A caller's reference to a device: its address or its id (type `device`, Protocol 4.1).
public enum DeviceReference: Hashable, Sendable {
    /// A device by environment, kind and token.
    case address(DeviceAddress)
    /// A device by the id that the server assigned.
    case id(DeviceID)
}
