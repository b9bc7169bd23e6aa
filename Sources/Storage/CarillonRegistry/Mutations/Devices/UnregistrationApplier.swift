import CarillonCore
import CarillonLMDB

/// Applies UNREGISTER: the end of a device.
final class UnregistrationApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// Applies UNREGISTER (Protocol 7.3). `at` is neither 0 nor in the future.
    func unregister(
        _ reference: DeviceReference,
        app: AppID,
        at: Timestamp,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        switch reference {
        case .id(let id):
            guard let app = try context.ids.knownNumber(of: app, in: transaction),
                let device = try tables.devices.get(id, app: app, in: transaction)
            else { return .refused(.notFound) }
            return try end(device, scope: ChangeScope(app: app, now: now), at: at, in: &transaction)
        case .address(let address):
            let app = try context.ids.number(of: app, in: &transaction)
            let scope = ChangeScope(app: app, now: now)
            let digest = tables.digest(of: address, app: app)
            let state = try context.tokenIndex.state(of: address, digest: digest, app: app, in: transaction)
            if case .device(let id) = state {
                let device = try tables.device(id, app: app, at: address, in: transaction)
                return try end(device, scope: scope, at: at, in: &transaction)
            }
            // A tombstone that is not older stays, unless it is from the future.
            if case .tombstone(let tombstone) = state, (at...max(at, now)).contains(tombstone.unregisteredAt) {
                return .unregistered(nil)
            }
            try context.tombstones.write(address, scope: scope, replacing: state, at: at, in: &transaction)
            return .unregistered(nil)
        }
    }

    private func end(
        _ device: DeviceRecord, scope: ChangeScope, at: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard device.seenAt.clamped(to: scope.now) <= at else { return .refused(.stale) }
        try context.deviceRemover.remove(device, app: scope.app, in: &transaction)
        try context.tombstones.write(device.address, scope: scope, replacing: nil, at: at, in: &transaction)
        return .unregistered(device.id)
    }
}
