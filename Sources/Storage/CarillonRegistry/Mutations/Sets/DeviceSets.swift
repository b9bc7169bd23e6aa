import CarillonCore
import CarillonLMDB

/// Keeps the sets of devices in step with what they follow from: the records of devices, their memberships, and the
/// topics of their groups.
///
/// An active device is in the set of all, in the sets that follow from its record, in its groups, in its own topics and
/// in the topics of its groups. A quarantined device is in none. The set of the muted counts as a topic here.
final class DeviceSets {
    private let tables: Tables
    private let sets: SetCache
    private let ids: IDAllocator
    /// The number of topics that devices got with a group since `beginRequest`.
    private(set) var gainedTopics = GainedTopics()

    init(tables: Tables, sets: SetCache, ids: IDAllocator) {
        self.tables = tables
        self.sets = sets
        self.ids = ids
    }

    /// Begins a request, which is one change or a batch of them.
    func beginRequest() { gainedTopics = GainedTopics() }

    /// Finds the set of that name, or makes it if it does not exist.
    func set(_ label: SetLabel, of app: AppNumber, in transaction: inout WriteTransaction) throws -> CachedSet {
        if let known = try sets.find(label, app: app, in: transaction) { return known }
        return try sets.insert(label, number: ids.newSet(of: app, in: transaction), app: app, in: &transaction)
    }

    /// Returns the number of topics that a device gets with a group; 0 if there is no such group.
    func topicCount(of group: CachedSet?, in transaction: borrowing WriteTransaction) throws -> Int {
        try group.map { try sets.loadTopics(of: $0, in: transaction).count } ?? 0
    }

    // MARK: Whole devices

    /// Inserts an active device into all of its sets, and makes missing ones.
    func insertIntoAll(
        _ device: DeviceRecord,
        membership: MembershipRecord,
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        for set in try derivedSets(of: device, app: app, in: &transaction) {
            try sets.insert(device.id, into: set, in: transaction)
        }
        try forEachSet(impliedBy: membership, app: app, in: &transaction) { set, transaction in
            try sets.insert(device.id, into: set, in: transaction)
        }
    }

    /// Finds the sets that follow from the record of an active device, and makes missing ones.
    private func derivedSets(
        of device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> [CachedSet] {
        let traits = DeviceTraits(device, app: app)
        if let known = sets.derivedSets(from: traits) { return known }
        let derived = try device.derivedSets.map { try set($0, of: app, in: &transaction) }
        sets.keep(derived, derivedFrom: traits)
        return derived
    }

    /// Removes an active device from all of its sets.
    func removeFromAll(
        _ device: DeviceRecord, membership: MembershipRecord, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        for label in device.derivedSets {
            guard let set = try sets.find(label, app: app, in: transaction) else { continue }
            try sets.remove(device.id, from: set, in: transaction)
        }
        try forEachSet(impliedBy: membership, app: app, in: &transaction) { set, transaction in
            try sets.remove(device.id, from: set, in: transaction)
        }
    }

    /// Moves an active device from the sets that follow from its record `old` to those that follow from `new`.
    func updateDerived(
        from old: DeviceRecord, to new: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        let isSame =
            old.locale == new.locale && old.attributes == new.attributes
            && old.address.environment == new.address.environment
        guard !isSame else { return }
        let before = old.derivedSets
        let after = new.derivedSets
        for label in before where !after.contains(label) {
            guard let set = try sets.find(label, app: app, in: transaction) else { continue }
            try sets.remove(new.id, from: set, in: transaction)
        }
        for label in after where !before.contains(label) {
            try sets.insert(new.id, into: set(label, of: app, in: &transaction), in: transaction)
        }
    }

    /// Changes the number of quarantined members of each set of a membership. Because of this number a set stays while
    /// it has no active device.
    ///
    /// - Parameter difference: 1 for a device that enters the quarantine, -1 for one that leaves it.
    func changeQuarantinedMembers(
        by difference: Int, of membership: MembershipRecord, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        for number in membership.groups + membership.topics {
            try sets.changeQuarantinedMembers(by: difference, of: sets.get(number, app: app, in: transaction))
            try sets.shrinkIfFull(in: &transaction)
        }
    }

    /// Calls `body` with each set that a membership implies. A set may come more than once: there may be 2,000 topics
    /// for each of 1,000 groups, too many to remember.
    private func forEachSet(
        impliedBy membership: MembershipRecord, app: AppNumber, in transaction: inout WriteTransaction,
        _ body: (CachedSet, borrowing WriteTransaction) throws -> Void
    ) throws {
        func call(with numbers: [SetNumber], _ transaction: inout WriteTransaction) throws {
            for number in numbers {
                try body(try sets.get(number, app: app, in: transaction), transaction)
                try sets.shrinkIfFull(in: &transaction)
            }
        }
        try call(with: membership.groups, &transaction)
        try call(with: membership.topics, &transaction)
        for number in membership.groups {
            let group = try sets.get(number, app: app, in: transaction)
            try call(with: try sets.loadTopics(of: group, in: transaction), &transaction)
        }
    }

    // MARK: One membership

    /// Puts a device into a group, and so into its topics; returns false if the device was in the group.
    func addGroup(
        _ group: CachedSet, to member: inout ChangingDevice, in transaction: inout WriteTransaction
    ) throws -> Bool {
        guard member.membership.groups.insertSorted(group.number) else { return false }
        guard member.isActive else {
            try sets.changeQuarantinedMembers(by: 1, of: group)
            return true
        }
        try sets.insert(member.id, into: group, in: transaction)
        let topics = try sets.loadTopics(of: group, in: transaction)
        gainedTopics.add(topics.count)
        for number in topics {
            try sets.insert(member.id, into: sets.get(number, app: group.app, in: transaction), in: transaction)
            try sets.shrinkIfFull(in: &transaction)
        }
        return true
    }

    /// Removes a device from a group, and from its topics that have no other source; returns false if the device was
    /// not in the group.
    func removeGroup(
        _ group: CachedSet, from member: inout ChangingDevice, in transaction: inout WriteTransaction
    ) throws -> Bool {
        guard member.membership.groups.removeSorted(group.number) else { return false }
        guard member.isActive else {
            try sets.changeQuarantinedMembers(by: -1, of: group)
            return true
        }
        try sets.remove(member.id, from: group, in: transaction)
        for number in try sets.loadTopics(of: group, in: transaction) {
            try removeUnlessSubscribed(
                member, from: sets.get(number, app: group.app, in: transaction), in: transaction)
            try sets.shrinkIfFull(in: &transaction)
        }
        return true
    }

    /// Subscribes a device itself to a topic; returns false if it was subscribed.
    func addTopic(
        _ topic: CachedSet, to member: inout ChangingDevice, in transaction: inout WriteTransaction
    ) throws -> Bool {
        guard member.membership.topics.insertSorted(topic.number) else { return false }
        if member.isActive {
            try sets.insert(member.id, into: topic, in: transaction)
        } else {
            try sets.changeQuarantinedMembers(by: 1, of: topic)
        }
        try sets.shrinkIfFull(in: &transaction)
        return true
    }

    /// Ends the subscription of a device itself; returns false if it was not subscribed.
    func removeTopic(
        _ topic: CachedSet, from member: inout ChangingDevice, in transaction: inout WriteTransaction
    ) throws -> Bool {
        guard member.membership.topics.removeSorted(topic.number) else { return false }
        if member.isActive {
            try removeUnlessSubscribed(member, from: topic, in: transaction)
        } else {
            try sets.changeQuarantinedMembers(by: -1, of: topic)
        }
        try sets.shrinkIfFull(in: &transaction)
        return true
    }

    /// Subscribes a group to a topic for its devices; returns false if it was subscribed.
    func addTopic(_ topic: CachedSet, to group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        guard try sets.addTopic(topic, to: group, in: &transaction) else { return false }
        guard group.record.devices > 0 else { return true }
        for chunk in try sets.chunks(of: group, in: transaction) {
            let bits = try sets.bits(of: group, at: chunk, in: transaction)
            try sets.insert(bits, at: chunk, into: topic, in: &transaction)
        }
        return true
    }

    /// Ends the subscription of a group; returns false if it was not subscribed. A device of the group stays in the
    /// topic if it has another source.
    func removeTopic(_ topic: CachedSet, from group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        guard try sets.removeTopic(topic, from: group, in: &transaction) else { return false }
        guard group.record.devices > 0 else { return true }
        for chunk in try sets.chunks(of: group, in: transaction) {
            var leaving = try sets.bits(of: group, at: chunk, in: transaction)
            let members = leaving
            try tables.memberships.forEach(
                app: group.app, chunk: chunk, bits: members, in: transaction
            ) { offset, membership in
                if try isSubscribed(membership, to: topic, in: transaction) { leaving.remove(offset) }
                sets.evictUnusedIfFull()
            }
            try sets.remove(leaving, at: chunk, from: topic, in: &transaction)
        }
        return true
    }

    private func removeUnlessSubscribed(
        _ member: ChangingDevice, from topic: CachedSet, in transaction: borrowing WriteTransaction
    ) throws {
        guard try !isSubscribed(member.membership, to: topic, in: transaction) else { return }
        try sets.remove(member.id, from: topic, in: transaction)
    }

    /// Returns true if a device with that membership is in a topic, by itself or through one of its groups.
    private func isSubscribed(
        _ membership: MembershipRecord, to topic: CachedSet, in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        if membership.topics.containsSorted(topic.number) { return true }
        guard topic.record.groupSubscriptions > 0 else { return false }
        return try membership.groups.contains { number in
            try sets.loadTopics(of: sets.get(number, app: topic.app, in: transaction), in: transaction).containsSorted(
                topic.number)
        }
    }
}

extension DeviceRecord {
    /// The sets that follow from the record of an active device, each once.
    var derivedSets: [SetLabel] {
        var labels: [SetLabel] = [
            .all,
            .attribute(AttributeKey.environment.name, address.environment.name),
            .attribute(AttributeKey.kind.name, address.kind.name),
        ]
        if let locale {
            // A longer range is no value that a condition can name.
            let ranges = LanguageTag.ranges(of: locale).filter { $0.utf8.count <= AttributeValue.maximumBytes }
            labels += ranges.map { .attribute(AttributeKey.locale.name, $0) }
        }
        if attributes[.platform] == nil {
            labels.append(.attribute(AttributeKey.platform.name, platform))
        }
        labels += attributes.entries.map { .attribute($0.key.name, $0.value.text) }
        return labels
    }
}
