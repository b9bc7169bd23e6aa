import CarillonCore
import CarillonLMDB

/// The token index and its caches, kept equal.
extension WriteContext {
    /// Stores the device of an address, or that it has a tombstone.
    func put(
        _ entry: AddressRow, at address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        tokenFilter.insert(address)
        switch entry {
        case .device(let id): tokenIndexCache?.insert(id, at: address, app: app)
        case .tombstone: tokenIndexCache?.remove(address, app: app)
        }
        if bufferedAddresses.replace(address, app: app, by: entry) { return }
        try tables.addresses.put(entry, for: address, app: app, in: &transaction)
    }

    func delete(_ address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction) throws {
        tokenIndexCache?.remove(address, app: app)
        if bufferedAddresses.replace(address, app: app, by: nil) { return }
        try tables.addresses.delete(address, app: app, in: &transaction)
    }

    // MARK: Lookups

    /// Returns the device of a reference; nil if no device is registered under it.
    func device(
        _ reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Device? {
        switch reference {
        case .id(let id):
            return try tables.devices.get(id, app: app, in: transaction)
        case .address(let address):
            return try device(at: address, app: app, in: transaction)
        }
    }

    /// Returns the id and the state of the device of a reference; nil if no device is registered under it.
    func state(
        of reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> (id: DeviceID, state: DeviceState)? {
        switch reference {
        case .id(let id):
            return try state(of: id, app: app, in: transaction).map { (id, $0) }
        case .address(let address):
            guard let id = try id(at: address, app: app, in: transaction) else { return nil }
            guard let state = try state(of: id, app: app, in: transaction) else {
                throw RegistryError.corrupted("addresses: device \(id) has no row in devices")
            }
            return (id, state)
        }
    }

    /// Returns the state of a device; nil if there is no such device.
    private func state(
        of id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceState? {
        // Active devices are found in the set of all, which is in memory. Reading the record would cost a page for each
        // device.
        if id.rawValue < AppTable.deviceBound, let all = try sets.all(of: app, in: transaction),
            try sets.contains(id, within: all, in: transaction)
        {
            return .active
        }
        return try tables.devices.state(id, app: app, in: transaction)
    }

    /// Returns the device that has an address; nil if no device has it.
    func device(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Device? {
        let digest = tables.digest(of: address, app: app)
        if let known = try cachedDevice(at: address, digest: digest, app: app, in: transaction) { return known }
        let device = try tables.device(
            at: address, app: app, hint: tables.tokenLookupCache.device(at: digest), in: transaction)
        if let device { tokenIndexCache?.insert(device.id, at: digest, app: app) }
        return device
    }

    /// Returns the id of the device that has an address; nil if no device has it.
    private func id(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        let digest = tables.digest(of: address, app: app)
        if let id = knownDevice(at: digest, app) {
            assert(
                tableAgrees(that: digest, belongsTo: id, app: app, in: transaction),
                "the token index cache differs from the table")
            return id
        }
        let id = try tables.id(at: address, digest: digest, app: app, in: transaction)
        if let id { tokenIndexCache?.insert(id, at: digest, app: app) }
        return id
    }

    /// Returns the device that has an address, if a cache knows it; nil if no cache knows it.
    func cachedDevice(
        at address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let id = knownDevice(at: digest, app) else {
            guard tokenIndexCache == nil else { return nil }
            return try tables.cachedDevice(at: address, digest: digest, app: app, in: transaction)
        }
        assert(
            tableAgrees(that: digest, belongsTo: id, app: app, in: transaction),
            "the token index cache differs from the table")
        return try tables.device(id, app: app, at: address, in: transaction)
    }

    /// Returns true if the table says that a device has an address. For debug builds.
    private func tableAgrees(
        that address: AddressDigest, belongsTo id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) -> Bool {
        // Why try?: a row that cannot be read agrees with nothing.
        (try? row(of: address, app: app, in: transaction)) == .device(id)
    }

    /// Returns the row of an address; nil if it has none.
    func row(
        of address: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressRow? {
        if let row = bufferedAddresses.row(of: address, app: app) { return row }
        return try tables.addresses.get(address, app: app, in: transaction)
    }

    /// Returns the state of an address; nil if it has none.
    func state(
        of address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressState? {
        try row(of: digest, app: app, in: transaction).map {
            try tables.state($0, of: address, app: app, in: transaction)
        }
    }

    // MARK: Tombstones

    /// Writes a tombstone at an address, whose row was `old` before.
    func writeTombstone(
        _ address: DeviceAddress,
        _ scope: ChangeScope,
        replacing old: AddressState?,
        at: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        let (app, now) = (scope.app, scope.now)
        try deleteTombstone(old, at: address, app: app, in: &transaction)
        try put(.tombstone, at: tables.digest(of: address, app: app), app: app, in: &transaction)
        try tables.tombstones.put(Tombstone(at: at, writtenAt: now), for: address, app: app, in: &transaction)
        try tables.expiry.insert(.tombstone(app, address), from: now, in: &transaction)
    }

    /// Deletes the tombstone, and its expiry, if `old` is one. The caller overwrites its row in `addresses`.
    func deleteTombstone(
        _ old: AddressState?, at address: DeviceAddress, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        guard case .tombstone(let old) = old else { return }
        try tables.tombstones.delete(address, app: app, in: &transaction)
        try tables.expiry.delete(.tombstone(app, address), from: old.writtenAt, in: &transaction)
    }
}
