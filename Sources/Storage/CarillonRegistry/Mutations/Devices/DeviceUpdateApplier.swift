import CarillonCore
import CarillonLMDB

/// Applies UPDATE_DEVICE and RESTORE: new properties of a known device, and its way out of the quarantine.
final class DeviceUpdateApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// Applies UPDATE_DEVICE (Protocol 7.5).
    func update(
        _ reference: DeviceReference,
        app: AppID,
        with update: DeviceUpdate,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try context.ids.knownNumber(of: app, in: transaction),
            let old = try context.devices.device(reference, app: app, in: transaction)
        else {
            return .refused(.notFound)
        }
        var device = old
        guard device.attributes.tryToMerge(update.attributes) else { return .refused(.tooMany(.attributes)) }
        device.locale = DeviceRecord.textToStore(update.locale, stored: old.locale)
        device.timeZone = DeviceRecord.textToStore(update.timeZone, stored: old.timeZone)
        if device != old {
            try tables.devices.put(device, app: app, in: &transaction)
            if device.state == .active {
                try context.deviceSets.updateDerived(from: old, to: device, app: app, in: &transaction)
            }
        }
        if let isMuted = update.isMuted {
            try setMuted(isMuted, of: device, app: app, in: &transaction)
        }
        return .updated(device.id)
    }

    /// Mutes or unmutes a device. The muted devices and groups are a set that is kept like a topic: to mute a device is
    /// to subscribe the device itself to this set.
    private func setMuted(
        _ isMuted: Bool, of device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        var member = try context.memberFinder.member(device.id, state: device.state, app: app, in: transaction)
        let muted = try context.deviceSets.set(.muted, of: app, in: &transaction)
        let hasChanged =
            isMuted
            ? try context.deviceSets.addTopic(muted, to: &member, in: &transaction)
            : try context.deviceSets.removeTopic(muted, from: &member, in: &transaction)
        guard hasChanged else { return }
        tables.devices.markChanged(device.id, app: app, in: transaction)
        try tables.memberships.put(member.membership, for: device.id, app: app, in: &transaction)
    }

    /// Applies RESTORE (Protocol 7.7). An active device stays as it is.
    func restore(
        _ reference: DeviceReference, app: AppID, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try context.ids.knownNumber(of: app, in: transaction),
            let device = try context.devices.device(reference, app: app, in: transaction)
        else { return .refused(.notFound) }
        if device.state == .quarantined { try context.quarantine.reactivate(device, app: app, in: &transaction) }
        return .updated(device.id)
    }
}

extension Attributes {
    /// Makes the changes of attributes that a caller asks for. Returns false, without a change, if there would be too
    /// many attributes. A key that callers may not change would also give false, but the wire has refused it before.
    mutating func tryToMerge(_ changes: [AttributeChange]) -> Bool {
        do throws(AttributeError) {
            try merge(changes)
            return true
        } catch {
            return false
        }
    }
}

extension DeviceRecord {
    /// Returns the text to store: an absent text keeps what is stored, an empty text removes it.
    static func textToStore(_ text: String?, stored: String?) -> String? {
        guard let text else { return stored }
        return text.isEmpty ? nil : text
    }
}
