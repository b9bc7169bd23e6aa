import CarillonCore
import CarillonLMDB

/// Applies the reports of providers about tokens, which come with outcomes: a token is dead, or is good in another
/// environment.
final class TokenReportApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// Applies the reports of a record. A report has no effect if its device is not active, or has registered since.
    ///
    /// - Parameter devices: the devices of the page, which are read if there is a report.
    func apply(
        of record: OutcomeRecord,
        devices: inout PageDevices,
        scope: ChangeScope,
        in transaction: inout WriteTransaction
    ) throws {
        for recipient in record.endedRecipients where recipient.deadToken != nil || recipient.movedTo != nil {
            guard let id = try devices.device(at: recipient.position, in: transaction),
                let device = try tables.devices.get(id, app: scope.app, in: transaction), device.state == .active
            else { continue }
            if let deadToken = recipient.deadToken {
                guard device.registeredAt == deadToken.registeredAt, deadToken.since >= device.registeredAt else {
                    continue
                }
                try context.quarantine.enter(device, for: recipient.outcome, scope: scope, in: &transaction)
            } else if let environment = recipient.movedTo, environment != device.address.environment,
                device.registeredAt == recipient.registeredAt
            {
                try moveDevice(device, to: environment, scope: scope, in: &transaction)
            }
        }
    }

    /// Moves a device to the other environment, because APNs has accepted its token there.
    ///
    /// If another device has the token in that environment, the two are one device that was registered twice: `device`
    /// is quarantined. If the token was unregistered there since, the device stays where it is.
    private func moveDevice(
        _ device: DeviceRecord,
        to environment: APNsEnvironment,
        scope: ChangeScope,
        in transaction: inout WriteTransaction
    ) throws {
        let app = scope.app
        var moved = device
        moved.address.environment = environment
        let digest = tables.digest(of: moved.address, app: app)
        let state = try context.tokenIndex.state(of: moved.address, digest: digest, app: app, in: transaction)
        switch state {
        case .device: return try context.quarantine.enter(device, for: .badToken, scope: scope, in: &transaction)
        case .tombstone(let tombstone) where tombstone.unregisteredAt >= device.seenAt: return
        case .tombstone, nil: break
        }
        try context.tombstones.delete(state, at: moved.address, app: app, in: &transaction)
        try context.tokenIndex.delete(tables.digest(of: device.address, app: app), app: app, in: &transaction)
        try context.tokenIndex.put(.device(device.id), at: digest, app: app, in: &transaction)
        try tables.devices.put(moved, app: app, in: &transaction)
        try context.deviceSets.updateDerived(from: device, to: moved, app: app, in: &transaction)
        let event = Event(
            at: scope.now, kind: .deviceMoved, app: try context.ids.name(of: app, in: transaction), device: device.id)
        try context.events.append(event, in: &transaction)
    }
}
