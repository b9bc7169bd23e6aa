import CarillonCore

/// The state of an address.
enum AddressState: Hashable {
    /// A device has it.
    case device(DeviceID)
    /// It was unregistered.
    case tombstone(Tombstone)
}
