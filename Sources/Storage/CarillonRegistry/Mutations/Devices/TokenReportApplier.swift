import CarillonCore
import CarillonLMDB

/// Applies the reports of providers about tokens, which come with outcomes: a token is dead, or is good in another
/// environment.
final class TokenReportApplier {
    private let tables: Tables
    private let ids: IDAllocator
    private let events: EventWriter
    private let tokenIndex: TokenIndex
    private let tombstones: TombstoneWriter
    private let deviceSets: DeviceSets
    private let quarantine: Quarantine

    init(_ context: WriteContext) {
        tables = context.tables
        ids = context.ids
        events = context.events
        tokenIndex = context.tokenIndex
        tombstones = context.tombstones
        deviceSets = context.deviceSets
        quarantine = context.quarantine
    }

    /// Applies the reports of a record, each unless its device has registered since.
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
                try quarantine.enter(device, for: recipient.outcome, scope: scope, in: &transaction)
            } else if let environment = recipient.movedTo, environment != device.address.environment,
                device.registeredAt == recipient.registeredAt
            {
                try moveDevice(device, to: environment, scope: scope, in: &transaction)
            }
        }
    }

    /// Moves a device to the other environment, because APNs has accepted its token there.
    ///
    /// If another device is registered there with the token, this is the same device a second time: it is quarantined.
    /// If the token was unregistered there since, the device stays where it is.
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
        let state = try tokenIndex.state(of: moved.address, digest: digest, app: app, in: transaction)
        switch state {
        case .device: return try quarantine.enter(device, for: .badToken, scope: scope, in: &transaction)
        case .tombstone(let tombstone) where tombstone.unregisteredAt >= device.seenAt: return
        case .tombstone, nil: break
        }
        try tombstones.delete(state, at: moved.address, app: app, in: &transaction)
        try tokenIndex.delete(tables.digest(of: device.address, app: app), app: app, in: &transaction)
        try tokenIndex.put(.device(device.id), at: digest, app: app, in: &transaction)
        try tables.devices.put(moved, app: app, in: &transaction)
        try deviceSets.updateDerived(from: device, to: moved, app: app, in: &transaction)
        let event = Event(
            at: scope.now, kind: .deviceMoved, app: try ids.name(of: app, in: transaction), device: device.id)
        try events.append(event, in: &transaction)
    }
}
