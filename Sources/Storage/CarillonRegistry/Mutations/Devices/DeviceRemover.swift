import CarillonCore
import CarillonLMDB

/// Removes devices from their sets, and deletes their rows in every table but one: records, memberships, quarantine,
/// push subscriptions, times of silent pushes. The row of the address stays: the caller writes a tombstone there, or
/// gives the address to another device.
final class DeviceRemover {
    private let tables: Tables
    private let deviceSets: DeviceSets
    private let quarantine: Quarantine

    init(tables: Tables, deviceSets: DeviceSets, quarantine: Quarantine) {
        self.tables = tables
        self.deviceSets = deviceSets
        self.quarantine = quarantine
    }

    func remove(_ device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction) throws {
        let membership = try tables.memberships.get(device.id, app: app, in: transaction)
        switch device.state {
        case .active: try deviceSets.removeFromAll(device, membership: membership, app: app, in: &transaction)
        case .quarantined: try quarantine.leave(device.id, membership: membership, app: app, in: &transaction)
        }
        try tables.silentPushes.delete(device.id, app: app, in: &transaction)
        if device.address.kind == .web { try tables.browsers.delete(device.id, app: app, in: &transaction) }
        if !membership.isEmpty { try tables.memberships.delete(device.id, app: app, in: &transaction) }
        try tables.devices.delete(device.id, app: app, in: &transaction)
    }
}
