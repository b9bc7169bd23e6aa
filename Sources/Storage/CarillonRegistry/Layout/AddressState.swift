import CarillonCore

/// The state of an address.
enum AddressState: Hashable {
    /// A device has the address.
    case device(DeviceID)
    /// The address was unregistered.
    case tombstone(Tombstone)
}
