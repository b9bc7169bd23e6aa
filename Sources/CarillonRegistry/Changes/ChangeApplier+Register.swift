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
        let digest = layout.digest(of: address, app)

        var current = try knownDevice(at: address, digest, app, transaction)
        var held = current.map { AddressState.device($0.id) }
        if current == nil {
            // Of the devices that come by the million nearly all are new.
            let attributesIfNew = try attributesIfNew(registration, app, transaction)
            held =
                try attributesIfNew == nil
                ? known(of: address, digest, app, in: &transaction)
                : claim(
                    address, digest, app, for: DeviceID(rawValue: nextDevice(of: registration.app)), in: &transaction)
            if held == nil, let attributes = attributesIfNew {
                let id = try newDevice(of: registration.app)
                try create(id, registration, attributes, seenAt: seenAt, now: now, app, in: &transaction)
                return .registered(id, .created, ended: nil)
            }
            switch held {
            case .tombstone(let tombstone) where Self.beats(tombstone, seenAt, now: now): return .refused(.stale)
            case .device(let id):
                current = try layout.device(id, app, at: address, transaction)
                book?.note(id, at: digest, app)
                layout.hints.note(id, at: digest)
            default: break
            }
        }
        try settle(in: &transaction)
        let old = try replacedDevice(registration, app, transaction)
        if let current, Self.stored(current.seenAt, now: now) > seenAt { return .refused(.stale) }
        if let old, Self.stored(old.seenAt, now: now) > seenAt { return .refused(.stale) }

        let known = old ?? current
        var attributes = known?.attributes ?? Attributes()
        guard Self.merge(registration.attributes, into: &attributes) else { return .refused(.tooMany(.attributes)) }
        let membership = try known.map { try layout.memberships.get(transaction, app, $0.id) } ?? MembershipRecord()
        if let held = try excess(of: registration, over: membership, app, transaction) {
            return .refused(.tooMany(held))
        }

        let id = try known?.id ?? newDevice(of: registration.app)
        if let old { try bury(old.address, app, held: nil, at: seenAt, now: now, in: &transaction) }
        let ended = old == nil ? nil : current
        if let ended { try remove(ended, app, in: &transaction) }

        // A retry that comes late does not bring back a device whose token has died since; a new token is alive.
        let isDead =
            try old == nil && current.map { try hasDied($0, since: seenAt, app, now: now, transaction) } ?? false
        let device = Device(
            id: id,
            address: address,
            // As it was, so that APNs is believed if it is restored and called dead once more.
            registeredAt: isDead ? known?.registeredAt ?? now : now,
            seenAt: seenAt,
            state: isDead ? .quarantined : .active,
            locale: Self.text(registration.locale, stored: known?.locale),
            timeZone: Self.text(registration.timeZone, stored: known?.timeZone),
            attributes: attributes
        )
        try layout.devices.put(&transaction, app, device)
        if held != .device(id) {
            try forgetTombstone(held, at: address, app, in: &transaction)
            try put(.device(id), at: digest, app, in: &transaction)
        }
        if let known, known.state == .active {
            try move(known, to: device, app, in: &transaction)
        } else if device.state == .active {
            if known != nil { try leaveQuarantine(id, membership, app, in: &transaction) }
            try place(device, membership, app, in: &transaction)
        }
        let member = Member(id: id, isActive: device.state == .active, membership: membership)
        try hold(registration, of: member, app, in: &transaction)
        if old != nil {
            let event = Event(at: now, kind: .tokenReplaced, app: registration.app, device: id)
            try events.append(event, in: &transaction)
        }
        return .registered(id, old != nil ? .replaced : current != nil ? .refreshed : .created, ended: ended?.id)
    }

    /// What is known of an address.
    private func known(
        of address: DeviceAddress, _ digest: AddressDigest, _ app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> AddressState? {
        if try mayWait(digest, app, transaction) { try settle(in: &transaction) }
        return try layout.state(of: address, digest, app, transaction)
    }

    /// Lets a device hold an address of which nothing is known; else changes nothing and tells what is known.
    private func claim(
        _ address: DeviceAddress,
        _ digest: AddressDigest,
        _ app: AppNumber,
        for id: DeviceID,
        in transaction: inout WriteTransaction
    ) throws -> AddressState? {
        if filter.lacks(digest) {
            filter.note(digest)
            deferred.add(digest, app, heldBy: id)
            transaction.expectChange(of: layout.addresses.database)
            // Who names it next may do so before its row is written.
            if let book { book.note(id, at: digest, app) } else { layout.hints.note(id, at: digest) }
            return nil
        }
        if try mayWait(digest, app, transaction) { try settle(in: &transaction) }
        filter.note(digest)
        if let held = try layout.addresses.insert(&transaction, app, digest, id) {
            return try layout.state(held, of: address, app, transaction)
        }
        book?.note(id, at: digest, app)
        return nil
    }

    /// Whether APNs has declared the token of a device dead, and not before it was seen.
    private func hasDied(
        _ device: Device,
        since seenAt: Timestamp,
        _ app: AppNumber,
        now: Timestamp,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard device.state == .quarantined, seenAt < now else { return false }
        guard let death = try layout.quarantine.get(transaction, app, device.id) else {
            throw RegistryError.corrupted("quarantine: a device is missing")
        }
        return seenAt <= death
    }

    /// The attributes of the device that is made if nothing is known of the address; nil if it would be refused, or if the
    /// registration names an older token.
    private func attributesIfNew(
        _ registration: Registration,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Attributes? {
        var attributes = Attributes()
        guard registration.replaces == nil, Self.merge(registration.attributes, into: &attributes),
            try excess(of: registration, over: MembershipRecord(), app, transaction) == nil
        else { return nil }
        return attributes
    }

    /// Makes a device that holds its address already.
    private func create(
        _ id: DeviceID,
        _ registration: Registration,
        _ attributes: Attributes,
        seenAt: Timestamp,
        now: Timestamp,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        let device = Device(
            id: id,
            address: registration.address,
            registeredAt: now,
            seenAt: seenAt,
            state: .active,
            locale: Self.text(registration.locale, stored: nil),
            timeZone: Self.text(registration.timeZone, stored: nil),
            attributes: attributes
        )
        let membership = MembershipRecord()
        try layout.devices.put(&transaction, app, device)
        try place(device, membership, app, in: &transaction)
        try hold(registration, of: Member(id: id, isActive: true, membership: membership), app, in: &transaction)
    }

    /// What the device would hold too much of.
    private func excess(
        of registration: Registration,
        over membership: MembershipRecord,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> ChangeAnswer.Held? {
        // Without a look at each: most are far from every limit.
        let most = max(
            membership.topics.count + registration.topics.count, membership.groups.count + registration.groups.count)
        guard most > MembershipLimits.groups else { return nil }
        let topics = Set(registration.topics.map(SetLabel.topic))
        if try count(topics, beyond: membership.topics, app, transaction) > MembershipLimits.topics { return .topics }
        let groups = Set(registration.groups.map(SetLabel.group))
        if try count(groups, beyond: membership.groups, app, transaction) > MembershipLimits.groups { return .groups }
        return nil
    }

    /// The topics and groups of a registration.
    private func hold(
        _ registration: Registration,
        of member: Member,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        guard !registration.topics.isEmpty || !registration.groups.isEmpty else { return }
        var member = member
        var hasChanged = false
        for topic in registration.topics {
            let topic = try set(.topic(topic), of: app, in: &transaction)
            if try hold(topic, &member, transaction) { hasChanged = true }
        }
        for group in registration.groups {
            let group = try set(.group(group), of: app, in: &transaction)
            if try enter(group, &member, transaction) { hasChanged = true }
        }
        if hasChanged { try layout.memberships.put(&transaction, app, member.id, member.membership) }
    }

    /// The device that holds the replaced token; nil if nobody does, or if the two tokens are one.
    private func replacedDevice(
        _ registration: Registration,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let token = registration.replaces, token != registration.address.token else { return nil }
        var address = registration.address
        address.token = token
        return try device(at: address, app, transaction)
    }

    /// Makes changes of attributes; false, and none is made, if they would be too many or are not a caller's to make.
    static func merge(_ changes: [AttributeChange], into attributes: inout Attributes) -> Bool {
        do throws(AttributeFault) {
            try attributes.merge(changes)
            return true
        } catch {
            return false
        }
    }

    /// An absent text leaves what is stored, an empty one forgets it.
    static func text(_ given: String?, stored: String?) -> String? {
        guard let given else { return stored }
        return given.isEmpty ? nil : given
    }
}
