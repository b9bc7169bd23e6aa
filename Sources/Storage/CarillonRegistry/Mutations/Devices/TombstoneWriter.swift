import CarillonCore
import CarillonLMDB

/// Writes tombstones: each has a row at its address, a row with its times, and one in `expiry`.
final class TombstoneWriter {
    private let tables: Tables
    private let tokenIndex: TokenIndex

    init(tables: Tables, tokenIndex: TokenIndex) {
        self.tables = tables
        self.tokenIndex = tokenIndex
    }

    /// Writes a tombstone at an address.
    ///
    /// - Parameters:
    ///   - scope: the app, and the time from which the tombstone is kept.
    ///   - old: the state of the address before, whose tombstone is deleted; nil if it is known to have none.
    ///   - at: the time at which the device was unregistered.
    func write(
        _ address: DeviceAddress,
        scope: ChangeScope,
        replacing old: AddressState?,
        at: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        let app = scope.app
        let now = scope.now
        try delete(old, at: address, app: app, in: &transaction)
        try tokenIndex.put(.tombstone, at: tables.digest(of: address, app: app), app: app, in: &transaction)
        try tables.tombstones.put(
            Tombstone(unregisteredAt: at, writtenAt: now), for: address, app: app, in: &transaction)
        try tables.expiry.insert(.tombstone(app, address), from: now, in: &transaction)
    }

    /// Deletes the tombstone, and its expiry, if `old` is one. The caller overwrites its row in `addresses`.
    func delete(
        _ old: AddressState?, at address: DeviceAddress, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        guard case .tombstone(let old) = old else { return }
        try tables.tombstones.delete(address, app: app, in: &transaction)
        try tables.expiry.delete(.tombstone(app, address), from: old.writtenAt, in: &transaction)
    }
}
