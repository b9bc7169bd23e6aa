import CarillonCore
import CarillonLMDB

/// Who holds an address: by a hint if there is a good one, else by `addresses`.
extension Layout {
    /// What an address is known by.
    @inline(__always)
    func digest(of address: DeviceAddress, _ app: AppNumber) -> AddressDigest { secret.digest(of: address, app) }

    /// The record of the device that holds an address; nil if no device does.
    func device(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        try device(at: address, app, hint: hints.device(at: digest(of: address, app)), transaction)
    }

    /// The record of the device that holds an address, of which there is that hint; nil if no device does.
    func device(
        at address: DeviceAddress,
        _ app: AppNumber,
        hint: DeviceID?,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        if let hint, let device = try devices.get(transaction, app, hint, at: address) { return device }
        let digest = digest(of: address, app)
        guard case .device(let id) = try addresses.get(transaction, app, digest) else { return nil }
        let device = try device(id, app, at: address, transaction)
        hints.note(id, at: digest)
        return device
    }

    /// The id of the device that holds an address; nil if no device does.
    func id(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        try id(at: address, digest(of: address, app), app, transaction)
    }

    /// The same for an address of which there is the digest.
    func id(
        at address: DeviceAddress,
        _ digest: AddressDigest,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        if let hint = hints.device(at: digest), try devices.bears(address, transaction, app, hint) { return hint }
        guard case .device(let id) = try addresses.get(transaction, app, digest) else { return nil }
        hints.note(id, at: digest)
        return id
    }

    /// The record of the device that holds an address, if there is a hint of it.
    func hintedDevice(
        at address: DeviceAddress,
        _ digest: AddressDigest,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        guard let hint = hints.device(at: digest) else { return nil }
        return try devices.get(transaction, app, hint, at: address)
    }

    /// The record of the device that `addresses` names.
    func device(
        _ id: DeviceID,
        _ app: AppNumber,
        at address: DeviceAddress,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device {
        guard let device = try devices.get(transaction, app, id, at: address) else {
            throw RegistryError.corrupted("addresses: a device that is not there, or has another address")
        }
        return device
    }

    /// What is known of an address.
    func state(
        of address: DeviceAddress,
        _ digest: AddressDigest,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> AddressState? {
        try addresses.get(transaction, app, digest).map { try state($0, of: address, app, transaction) }
    }

    /// What is known of an address of which there is that row.
    func state(
        _ entry: AddressEntry,
        of address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> AddressState {
        switch entry {
        case .device(let id): return .device(id)
        case .tombstone:
            guard let tombstone = try tombstones.get(transaction, app, address) else {
                throw RegistryError.corrupted("addresses: a tombstone that is not there")
            }
            return .tombstone(tombstone)
        }
    }
}

/// What is known of an address.
enum AddressState: Hashable {
    /// A device holds it.
    case device(DeviceID)
    /// It was unregistered.
    case tombstone(Tombstone)
}
