import CarillonCore

/// The device that has an address, or the tombstone.
enum AddressState: Hashable {
    case device(DeviceID)
    case tombstone(Tombstone)
}
