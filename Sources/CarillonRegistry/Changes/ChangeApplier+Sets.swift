import CarillonCore
import CarillonLMDB

/// Which sets a device is in: a function of its record, of what it holds, and of what its groups hold. An active device is in
/// the set of all, in those that follow from its record, in its groups, in its own topics and in the topics of its groups; a
/// quarantined one is in none. The set of the muted is a topic in this.
extension ChangeApplier {
    /// The set of that name; it is made if it does not exist.
    func set(_ label: SetLabel, of app: AppNumber, in transaction: inout WriteTransaction) throws -> CachedSet {
        if let known = try sets.find(app, label, transaction) { return known }
        return try sets.make(app, label, number: newSet(of: app), in: &transaction)
    }

    // MARK: Whole devices

    /// Puts an active device into all of its sets.
    func place(
        _ device: Device,
        _ membership: MembershipRecord,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        for set in try derivedSets(of: device, app, in: &transaction) {
            try sets.insert(device.id, into: set, transaction)
        }
        for number in try standing(of: membership, app, transaction) {
            try sets.insert(device.id, into: sets.find(app, number, transaction), transaction)
        }
    }

    /// The sets that follow from the record of an active device; they are made if they do not exist.
    private func derivedSets(
        of device: Device,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> [CachedSet] {
        let traits = DeviceTraits(device, app)
        if let known = sets.derived(from: traits) { return known }
        let derived = try device.derivedSets.map { try set($0, of: app, in: &transaction) }
        sets.note(derived, derivedFrom: traits)
        return derived
    }

    /// Takes an active device out of all of its sets.
    func withdraw(
        _ device: Device,
        _ membership: MembershipRecord,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws {
        for label in device.derivedSets {
            guard let set = try sets.find(app, label, transaction) else { continue }
            try sets.remove(device.id, from: set, transaction)
        }
        for number in try standing(of: membership, app, transaction) {
            try sets.remove(device.id, from: sets.find(app, number, transaction), transaction)
        }
    }

    /// Moves an active device from the sets that follow from `old` to those that follow from `new`.
    func move(
        _ old: Device,
        to new: Device,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        let isSame =
            old.locale == new.locale && old.attributes == new.attributes
            && old.address.environment == new.address.environment
        guard !isSame else { return }
        let (before, after) = (old.derivedSets, new.derivedSets)
        for label in before where !after.contains(label) {
            guard let set = try sets.find(app, label, transaction) else { continue }
            try sets.remove(new.id, from: set, transaction)
        }
        for label in after where !before.contains(label) {
            try sets.insert(new.id, into: set(label, of: app, in: &transaction), transaction)
        }
    }

    /// Counts what a quarantined device holds, so that the sets stay while nobody is in them.
    func addDormant(
        _ difference: Int,
        _ membership: MembershipRecord,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws {
        for number in membership.groups + membership.topics {
            try sets.addDormant(difference, to: sets.find(app, number, transaction))
        }
    }

    /// A device is gone: it is in no set and holds nothing.
    func remove(_ device: Device, _ app: AppNumber, in transaction: inout WriteTransaction) throws {
        let membership = try layout.memberships.get(transaction, app, device.id)
        switch device.state {
        case .active: try withdraw(device, membership, app, transaction)
        case .quarantined: try leaveQuarantine(device.id, membership, app, in: &transaction)
        }
        try layout.silent.delete(&transaction, app, device.id)
        if !membership.isEmpty { try layout.memberships.delete(&transaction, app, device.id) }
        try layout.devices.delete(&transaction, app, device.id)
    }

    /// The sets that follow from a membership: each number at least once.
    private func standing(
        of membership: MembershipRecord,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> [SetNumber] {
        var standing = membership.groups + membership.topics
        for number in membership.groups {
            standing += try sets.held(by: sets.find(app, number, transaction), transaction)
        }
        return standing
    }

    // MARK: One source

    /// A device as changes of groups and topics see it.
    struct Member {
        let id: DeviceID
        let isActive: Bool
        var membership: MembershipRecord
    }

    /// Lets a device enter a group; false if it was in it.
    func enter(
        _ group: CachedSet,
        _ member: inout Member,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard member.membership.groups.add(group.number) else { return false }
        guard member.isActive else {
            try sets.addDormant(1, to: group)
            return true
        }
        try sets.insert(member.id, into: group, transaction)
        for number in try sets.held(by: group, transaction) {
            try sets.insert(member.id, into: sets.find(group.app, number, transaction), transaction)
        }
        return true
    }

    /// Lets a device leave a group; false if it was not in it.
    func leave(
        _ group: CachedSet,
        _ member: inout Member,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard member.membership.groups.drop(group.number) else { return false }
        guard member.isActive else {
            try sets.addDormant(-1, to: group)
            return true
        }
        try sets.remove(member.id, from: group, transaction)
        for number in try sets.held(by: group, transaction) {
            try removeUnlessHeld(member, from: sets.find(group.app, number, transaction), transaction)
        }
        return true
    }

    /// Lets a device itself hold a topic; false if it did.
    func hold(
        _ topic: CachedSet,
        _ member: inout Member,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard member.membership.topics.add(topic.number) else { return false }
        if member.isActive {
            try sets.insert(member.id, into: topic, transaction)
        } else {
            try sets.addDormant(1, to: topic)
        }
        return true
    }

    /// Lets a device itself hold a topic no longer; false if it did not.
    func release(
        _ topic: CachedSet,
        _ member: inout Member,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard member.membership.topics.drop(topic.number) else { return false }
        if member.isActive {
            try removeUnlessHeld(member, from: topic, transaction)
        } else {
            try sets.addDormant(-1, to: topic)
        }
        return true
    }

    /// Lets a group hold a topic for its devices; false if it did.
    func hold(_ topic: CachedSet, by group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        guard try sets.hold(topic, by: group, in: &transaction) else { return false }
        guard group.record.devices > 0 else { return true }
        for chunk in try sets.chunks(of: group, transaction) {
            let bits = try sets.bits(of: group, at: chunk, transaction)
            try sets.insert(bits, at: chunk, into: topic, in: &transaction)
        }
        return true
    }

    /// Lets a group hold a topic no longer; false if it did not. Each of its devices stays in the topic if another source
    /// holds it.
    func release(_ topic: CachedSet, by group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        guard try sets.release(topic, by: group, in: &transaction) else { return false }
        guard group.record.devices > 0 else { return true }
        for chunk in try sets.chunks(of: group, transaction) {
            var leaving = try sets.bits(of: group, at: chunk, transaction)
            let members = leaving
            try layout.memberships.forEach(transaction, group.app, chunk, members) { offset, membership in
                if try holds(membership, topic, transaction) { leaving.remove(offset) }
            }
            try sets.remove(leaving, at: chunk, from: topic, in: &transaction)
        }
        return true
    }

    private func removeUnlessHeld(
        _ member: Member,
        from topic: CachedSet,
        _ transaction: borrowing WriteTransaction
    ) throws {
        guard try !holds(member.membership, topic, transaction) else { return }
        try sets.remove(member.id, from: topic, transaction)
    }

    /// Whether a device with that membership is in a topic.
    private func holds(
        _ membership: MembershipRecord,
        _ topic: CachedSet,
        _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        if membership.topics.holds(topic.number) { return true }
        guard topic.record.holders > 0 else { return false }
        return try membership.groups.contains { number in
            try sets.held(by: sets.find(topic.app, number, transaction), transaction).holds(topic.number)
        }
    }
}

extension Device {
    /// The sets that follow from the record of an active device, each once.
    var derivedSets: [SetLabel] {
        var labels: [SetLabel] = [
            .all,
            .attribute(AttributeKey.environment.name, address.environment.name),
            .attribute(AttributeKey.kind.name, address.kind.name),
        ]
        if let locale {
            // A longer range is no value that a condition can name.
            let ranges = LanguageTag.ranges(of: locale).filter { $0.utf8.count <= AttributeValue.byteLimit }
            labels += ranges.map { .attribute(AttributeKey.locale.name, $0) }
        }
        labels += attributes.entries.map { .attribute($0.key.name, $0.value.text) }
        return labels
    }
}
