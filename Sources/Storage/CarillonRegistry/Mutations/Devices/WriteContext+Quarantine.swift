import CarillonCore
import CarillonLMDB

/// The devices that enter and leave the quarantine.
extension WriteContext {
    /// Quarantines an active device whose token its provider has declared dead: it is in no audience any more.
    func quarantine(
        _ device: DeviceRecord, for outcome: Outcome, scope: ChangeScope, in transaction: inout WriteTransaction
    ) throws {
        let (app, now) = (scope.app, scope.now)
        let membership = try tables.memberships.get(device.id, app: app, in: transaction)
        try removeFromAllSets(device, membership: membership, app: app, in: &transaction)
        try changeQuarantinedMembers(by: 1, of: membership, app: app, in: &transaction)
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

    /// Takes a device out of quarantine: it is in all of its audiences again. An active device stays as it is.
    ///
    /// The time of its registration stays, so that a later report of the provider that the token is dead is accepted.
    func restore(
        _ reference: DeviceReference,
        app: AppID,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let number = try ids.knownNumber(of: app, in: transaction),
            var device = try device(reference, app: number, in: transaction)
        else { return .refused(.notFound) }
        guard device.state == .quarantined else { return .updated(device.id) }
        let membership = try tables.memberships.get(device.id, app: number, in: transaction)
        device.state = .active
        try tables.devices.put(device, app: number, in: &transaction)
        try leaveQuarantine(device.id, membership: membership, app: number, in: &transaction)
        try insertIntoAllSets(device, membership: membership, app: number, in: &transaction)
        return .updated(device.id)
    }

    /// Removes a device from the quarantine: it is restored, registered again, or removed.
    func leaveQuarantine(
        _ id: DeviceID,
        membership: MembershipRecord,
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        try changeQuarantinedMembers(by: -1, of: membership, app: app, in: &transaction)
        guard let since = try tables.quarantine.get(id, app: app, in: transaction) else {
            throw RegistryError.corrupted("quarantine: a device is missing")
        }
        try tables.quarantine.delete(id, app: app, in: &transaction)
        try tables.expiry.delete(.quarantined(app, id), from: since, in: &transaction)
    }
}
