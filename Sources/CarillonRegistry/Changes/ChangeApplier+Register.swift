import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Protocol 7.1.
    func register(
        _ registration: Registration,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let seenAt = Self.time(registration.seenAt, now: now)
        let app = try number(of: registration.app, in: &transaction)
        let address = registration.address

        let held = try layout.addresses.get(transaction, app, address)
        var current: Device?
        switch held {
        case .tombstone(let tombstone) where tombstone.at >= seenAt: return .refused(.stale)
        case .device(let id): current = try device(id, app, transaction)
        default: break
        }
        let old = try replacedDevice(registration, app, transaction)
        if let current, current.seenAt > seenAt { return .refused(.stale) }
        if let old, old.seenAt > seenAt { return .refused(.stale) }

        let id = try old?.id ?? current?.id ?? newDevice(of: registration.app)
        if let old { try bury(old.address, app, held: nil, at: seenAt, now: now, in: &transaction) }
        let ended = old == nil ? nil : current?.id
        if let ended { try layout.devices.delete(&transaction, app, ended) }

        let known = old ?? current
        let device = Device(
            id: id,
            address: address,
            registeredAt: now,
            seenAt: seenAt,
            state: .active,
            locale: Self.text(registration.locale, stored: known?.locale),
            timeZone: Self.text(registration.timeZone, stored: known?.timeZone)
        )
        try layout.devices.put(&transaction, app, device)
        if held != .device(id) {
            try forgetTombstone(held, at: address, app, in: &transaction)
            try layout.addresses.put(&transaction, app, address, .device(id))
        }
        return .registered(id, old != nil ? .replaced : current != nil ? .refreshed : .created, ended: ended)
    }

    /// The device that holds the replaced token; nothing if nobody does, or if the two tokens are one.
    private func replacedDevice(
        _ registration: Registration,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let token = registration.replaces, token != registration.address.token else { return nil }
        var address = registration.address
        address.token = token
        guard case .device(let id) = try layout.addresses.get(transaction, app, address) else { return nil }
        return try device(id, app, transaction)
    }

    /// An absent text leaves what is stored, an empty one forgets it.
    private static func text(_ given: String?, stored: String?) -> String? {
        guard let given else { return stored }
        return given.isEmpty ? nil : given
    }
}
