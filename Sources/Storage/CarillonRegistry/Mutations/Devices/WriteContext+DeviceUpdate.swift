import CarillonCore
import CarillonLMDB

/// The operation UPDATE_DEVICE: new properties of a known device.
extension WriteContext {
    /// Applies UPDATE_DEVICE (Protocol 7.5).
    func updateDevice(
        _ reference: DeviceReference,
        app: AppID,
        with update: DeviceUpdate,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: app, in: transaction),
            let old = try device(reference, app: app, in: transaction)
        else {
            return .refused(.notFound)
        }
        var device = old
        guard Self.tryToMerge(update.attributes, into: &device.attributes) else {
            return .refused(.tooMany(.attributes))
        }
        device.locale = Self.textToStore(update.locale, stored: old.locale)
        device.timeZone = Self.textToStore(update.timeZone, stored: old.timeZone)
        if device != old {
            try tables.devices.put(device, app: app, in: &transaction)
            if device.state == .active { try updateDerivedSets(from: old, to: device, app: app, in: &transaction) }
        }
        if let isMuted = update.isMuted {
            var member = try member(device.id, state: device.state, app: app, in: transaction)
            let muted = try set(.muted, of: app, in: &transaction)
            let hasChanged =
                isMuted
                ? try addTopic(muted, to: &member, in: &transaction)
                : try removeTopic(muted, from: &member, in: &transaction)
            if hasChanged {
                tables.devices.markChanged(device.id, app: app, in: transaction)
                try tables.memberships.put(member.membership, for: device.id, app: app, in: &transaction)
            }
        }
        return .updated(device.id)
    }
}
