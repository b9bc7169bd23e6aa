import CarillonCore
import CarillonLMDB

/// The operation UNREGISTER: the end of a device.
extension WriteContext {
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
            guard let number = try ids.knownNumber(of: app, in: transaction),
                let device = try tables.devices.get(id, app: number, in: transaction)
            else { return .refused(.notFound) }
            return try end(device, app: number, at: at, now: now, in: &transaction)
        case .address(let address):
            let number = try ids.number(of: app, in: &transaction)
            let digest = tables.digest(of: address, app: number)
            let state = try self.state(of: address, digest: digest, app: number, in: transaction)
            if case .device(let id) = state {
                let device = try tables.device(id, app: number, at: address, in: transaction)
                return try end(device, app: number, at: at, now: now, in: &transaction)
            }
            // A tombstone that is not older stays, unless it is from the future.
            if case .tombstone(let tombstone) = state, (at...max(at, now)).contains(tombstone.at) {
                return .unregistered(nil)
            }
            try writeTombstone(address, app: number, replacing: state, at: at, now: now, in: &transaction)
            return .unregistered(nil)
        }
    }

    private func end(
        _ device: Device, app: AppNumber, at: Timestamp, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard Self.clampedToNow(device.seenAt, now: now) <= at else { return .refused(.stale) }
        try remove(device, app: app, in: &transaction)
        try writeTombstone(device.address, app: app, replacing: nil, at: at, now: now, in: &transaction)
        return .unregistered(device.id)
    }
}
