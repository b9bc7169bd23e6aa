import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Protocol 7.3; `at` is neither 0 nor in the future.
    func unregister(
        _ reference: DeviceReference,
        app: AppID,
        at: Timestamp,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        switch reference {
        case .id(let id):
            guard let number = try knownApp(app, transaction),
                let device = try layout.devices.get(transaction, number, id)
            else { return .refused(.notFound) }
            return try end(device, number, at: at, now: now, in: &transaction)
        case .address(let address):
            let number = try number(of: app, in: &transaction)
            let digest = layout.digest(of: address, number)
            let held = try layout.state(of: address, digest, number, transaction)
            if case .device(let id) = held {
                let device = try layout.device(id, number, at: address, transaction)
                return try end(device, number, at: at, now: now, in: &transaction)
            }
            // A tombstone that is as late already says more, unless it is from a time that is still to come.
            if case .tombstone(let tombstone) = held, (at...max(at, now)).contains(tombstone.at) {
                return .unregistered(nil)
            }
            try bury(address, number, held: held, at: at, now: now, in: &transaction)
            return .unregistered(nil)
        }
    }

    private func end(
        _ device: Device,
        _ app: AppNumber,
        at: Timestamp,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard Self.stored(device.seenAt, now: now) <= at else { return .refused(.stale) }
        try remove(device, app, in: &transaction)
        try bury(device.address, app, held: nil, at: at, now: now, in: &transaction)
        return .unregistered(device.id)
    }
}
