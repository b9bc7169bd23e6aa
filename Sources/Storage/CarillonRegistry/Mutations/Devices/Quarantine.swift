import CarillonCore
import CarillonLMDB

/// The quarantine: the devices whose tokens their providers have declared dead. A device in it is in no set; its
/// memberships are kept for when it is active again.
final class Quarantine {
    private let tables: Tables
    private let deviceSets: DeviceSets
    private let ids: IDAllocator
    private let events: EventWriter

    init(tables: Tables, deviceSets: DeviceSets, ids: IDAllocator, events: EventWriter) {
        self.tables = tables
        self.deviceSets = deviceSets
        self.ids = ids
        self.events = events
    }

    /// Quarantines an active device whose token its provider has declared dead: it is no longer in any audience.
    func enter(
        _ device: DeviceRecord, for outcome: Outcome, scope: ChangeScope, in transaction: inout WriteTransaction
    ) throws {
        let app = scope.app
        let now = scope.now
        let membership = try tables.memberships.get(device.id, app: app, in: transaction)
        try deviceSets.removeFromAll(device, membership: membership, app: app, in: &transaction)
        try deviceSets.changeQuarantinedMembers(by: 1, of: membership, app: app, in: &transaction)
        var device = device
        device.state = .quarantined
        try tables.devices.put(device, app: app, in: &transaction)
        try tables.quarantine.put(now, for: device.id, app: app, in: &transaction)
        try tables.expiry.insert(.quarantined(app, device.id), from: now, in: &transaction)
        let event = Event(
            at: now, kind: .deviceQuarantined, app: try ids.name(of: app, in: transaction), device: device.id,
            outcome: outcome)
        try events.append(event, in: &transaction)
    }

    /// Takes a device out of quarantine: it is in all of its audiences again.
    ///
    /// The time of its registration stays, so that a later report of the provider that the token is dead is accepted.
    func reactivate(_ device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction) throws {
        let membership = try tables.memberships.get(device.id, app: app, in: transaction)
        var device = device
        device.state = .active
        try tables.devices.put(device, app: app, in: &transaction)
        try leave(device.id, membership: membership, app: app, in: &transaction)
        try deviceSets.insertIntoAll(device, membership: membership, app: app, in: &transaction)
    }

    /// Removes a device from the quarantine: it is active again, registered again, or removed.
    func leave(
        _ id: DeviceID,
        membership: MembershipRecord,
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        try deviceSets.changeQuarantinedMembers(by: -1, of: membership, app: app, in: &transaction)
        let since = try startTime(of: id, app: app, in: transaction)
        try tables.quarantine.delete(id, app: app, in: &transaction)
        try tables.expiry.delete(.quarantined(app, id), from: since, in: &transaction)
    }

    /// Returns the time at which a quarantined device was reported dead.
    func startTime(
        of id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Timestamp {
        guard let time = try tables.quarantine.get(id, app: app, in: transaction) else {
            throw RegistryError.corrupted("quarantine: a device is missing")
        }
        return time
    }
}
