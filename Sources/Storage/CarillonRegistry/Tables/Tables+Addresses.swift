import CarillonCore
import CarillonLMDB

/// The devices of addresses, looked up in the token lookup cache, else in `addresses`.
extension Tables {
    @inline(__always)
    func digest(of address: DeviceAddress, app: AppNumber) -> AddressDigest { secret.digest(of: address, app: app) }

    /// Returns the record of the device of a reference, which does not say whether it is muted; nil if there is no such
    /// device.
    func device(
        _ reference: DeviceReference, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord? {
        switch reference {
        case .id(let id): try devices.get(id, app: app, in: transaction)
        case .address(let address): try device(at: address, app: app, in: transaction)
        }
    }

    /// Returns the record of the device that has an address; nil if no device has it.
    func device(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord? {
        try device(
            at: address, app: app, cached: tokenLookupCache.device(at: digest(of: address, app: app)), in: transaction)
    }

    /// Returns the record of the device that has an address; nil if no device has it.
    ///
    /// - Parameter cached: the device that the token lookup cache has for the address, which may be another; nil if it
    ///   has none.
    func device(
        at address: DeviceAddress,
        app: AppNumber,
        cached: DeviceID?,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord? {
        if let cached, let device = try devices.get(cached, app: app, at: address, in: transaction) { return device }
        let digest = digest(of: address, app: app)
        guard case .device(let id) = try addresses.get(digest, app: app, in: transaction) else { return nil }
        let device = try device(id, app: app, at: address, in: transaction)
        tokenLookupCache.insert(id, at: digest)
        return device
    }

    /// Returns the id of the device that has an address, given with its digest; nil if no device has it.
    func id(
        at address: DeviceAddress,
        digest: AddressDigest,
        app: AppNumber,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        if let cached = tokenLookupCache.device(at: digest),
            try devices.hasAddress(address, of: cached, app: app, in: transaction)
        {
            return cached
        }
        guard case .device(let id) = try addresses.get(digest, app: app, in: transaction) else { return nil }
        tokenLookupCache.insert(id, at: digest)
        return id
    }

    /// Returns the record of the device that has an address, if the token lookup cache has it.
    func cachedDevice(
        at address: DeviceAddress,
        digest: AddressDigest,
        app: AppNumber,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord? {
        guard let cached = tokenLookupCache.device(at: digest) else { return nil }
        return try devices.get(cached, app: app, at: address, in: transaction)
    }

    /// Returns the record of the device that `addresses` names.
    func device(
        _ id: DeviceID,
        app: AppNumber,
        at address: DeviceAddress,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord {
        guard let device = try devices.get(id, app: app, at: address, in: transaction) else {
            throw RegistryError.corrupted("addresses: device \(id) has no row in devices, or another address")
        }
        return device
    }

    /// Returns the state of an address that has this record in `addresses`.
    func state(
        _ record: AddressRecord,
        of address: DeviceAddress,
        app: AppNumber,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> AddressState {
        switch record {
        case .device(let id): return .device(id)
        case .tombstone:
            guard let tombstone = try tombstones.get(address, app: app, in: transaction) else {
                throw RegistryError.corrupted("addresses: a tombstone that has no row in tombstones")
            }
            return .tombstone(tombstone)
        }
    }
}
