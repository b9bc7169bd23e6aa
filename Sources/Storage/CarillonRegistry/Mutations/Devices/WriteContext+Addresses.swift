import CarillonCore
import CarillonLMDB

/// The devices of references, and the tombstones of addresses.
extension WriteContext {
    // MARK: Lookups

    func device(
        _ reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord? {
        switch reference {
        case .id(let id):
            return try tables.devices.get(id, app: app, in: transaction)
        case .address(let address):
            return try tokenIndex.device(at: address, app: app, in: transaction)
        }
    }

    func state(
        of reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> (id: DeviceID, state: DeviceState)? {
        switch reference {
        case .id(let id):
            return try state(of: id, app: app, in: transaction).map { (id, $0) }
        case .address(let address):
            guard let id = try tokenIndex.id(at: address, app: app, in: transaction) else { return nil }
            guard let state = try state(of: id, app: app, in: transaction) else {
                throw RegistryError.corrupted("addresses: device \(id) has no row in devices")
            }
            return (id, state)
        }
    }

    private func state(
        of id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceState? {
        // Active devices are found in the set of all, which is in memory. Reading the record would cost a page for each
        // device.
        if id.rawValue < AppTable.deviceBound, let all = try sets.allDevices(of: app, in: transaction),
            try sets.contains(id, within: all, in: transaction)
        {
            return .active
        }
        return try tables.devices.state(id, app: app, in: transaction)
    }

    // MARK: Tombstones

    /// Writes a tombstone at an address, whose row was `old` before.
    func writeTombstone(
        _ address: DeviceAddress,
        scope: ChangeScope,
        replacing old: AddressState?,
        at: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        let (app, now) = (scope.app, scope.now)
        try deleteTombstone(old, at: address, app: app, in: &transaction)
        try tokenIndex.put(.tombstone, at: tables.digest(of: address, app: app), app: app, in: &transaction)
        try tables.tombstones.put(
            Tombstone(unregisteredAt: at, writtenAt: now), for: address, app: app, in: &transaction)
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
