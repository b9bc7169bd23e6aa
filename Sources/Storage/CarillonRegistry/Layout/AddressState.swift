import CarillonCore

/// The state of an address: the device that has it, or its tombstone. ``AddressRow`` is what the address index says of
/// it: that there is a tombstone, but not which.
enum AddressState: Hashable {
    case device(DeviceID)
    case tombstone(Tombstone)
}
