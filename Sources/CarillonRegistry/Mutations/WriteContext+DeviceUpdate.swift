import CarillonCore
import CarillonLMDB

extension WriteContext {
    /// UPDATE_DEVICE (Protocol 7.5).
    func update(
        _ reference: DeviceReference,
        app: AppID,
        _ update: DeviceUpdate,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: app, transaction), let old = try device(reference, app, transaction)
        else {
            return .refused(.notFound)
        }
        var device = old
        guard Self.merge(update.attributes, into: &device.attributes) else { return .refused(.tooMany(.attributes)) }
        device.locale = Self.text(update.locale, stored: old.locale)
        device.timeZone = Self.text(update.timeZone, stored: old.timeZone)
        if device != old {
            try layout.devices.put(&transaction, app, device)
            if device.state == .active { try move(old, to: device, app, in: &transaction) }
        }
        if let isMuted = update.isMuted {
            var member = try member(device.id, device.state, app, transaction)
            let muted = try set(.muted, of: app, in: &transaction)
            let hasChanged =
                isMuted
                ? try addTopic(muted, to: &member, transaction) : try removeTopic(muted, from: &member, transaction)
            if hasChanged { try layout.memberships.put(&transaction, app, device.id, member.membership) }
        }
        return .updated(device.id)
    }
}
