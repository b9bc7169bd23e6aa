import CarillonCore
import CarillonLMDB

/// Applies SUBSCRIBE and UNSUBSCRIBE: the topics of devices and groups.
final class TopicApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// Applies SUBSCRIBE (Protocol 9.1).
    func subscribe(_ subscription: TopicSubscription, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        let app = try context.ids.number(of: subscription.app, in: &transaction)
        if let answer = try subscribeByBits(subscription, app: app, in: &transaction) { return .membership(answer) }
        let topics = Self.distinct(subscription.topics).map(SetLabel.topic)
        try context.bufferedTopics.flush(in: &transaction)
        var (members, answer) = try context.memberFinder.members(subscription.devices, app: app, in: transaction)
        let groups = Self.distinct(subscription.groups).map(SetLabel.group)
        guard try mayHold(topics, members: members, groups: groups, app: app, in: transaction) else {
            return .refused(.tooMany(.topics))
        }
        guard !members.isEmpty || !groups.isEmpty else { return .membership(answer) }
        guard try mayChange(topics.count, of: groups, app: app, in: transaction) else {
            return .refused(.tooMany(.topicsOfGroups))
        }

        var result = ChangeResult(topics: try topics.map { try context.deviceSets.set($0, of: app, in: &transaction) })
        for index in members.indices {
            try change(
                &members[index], app: app, into: &result, in: &transaction, context.deviceSets.addTopic(_:to:in:))
        }
        for group in groups {
            try change(
                context.deviceSets.set(group, of: app, in: &transaction), into: &result, in: &transaction,
                context.deviceSets.addTopic(_:to:in:))
        }
        return .membership(result.completing(answer))
    }

    /// Returns true if no device and no group has too many topics once it has these as well.
    private func mayHold(
        _ topics: [SetLabel], members: [ChangingDevice], groups: [SetLabel], app: AppNumber,
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        for member in members {
            let count = try context.memberFinder.count(
                of: member.membership.topics, adding: topics, app: app, in: transaction)
            if count > MembershipLimits.topicsPerSubscriber { return false }
        }
        for group in groups {
            let known = try context.sets.find(group, app: app, in: transaction)
            let subscribed = try known.map { try context.sets.loadTopics(of: $0, in: transaction) } ?? []
            let count = try context.memberFinder.count(of: subscribed, adding: topics, app: app, in: transaction)
            if count > MembershipLimits.topicsPerSubscriber { return false }
        }
        return true
    }

    /// Subscribes devices without reading their memberships, which are written later. Returns nil, without a change,
    /// if memberships must be read.
    ///
    /// If no group is subscribed to a topic, its active devices are exactly the devices that are subscribed themselves.
    /// And in an app that has no more topics than one device may have, no limit can be exceeded. So for active devices
    /// the bits of the topic say enough.
    private func subscribeByBits(
        _ subscription: TopicSubscription, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer.MembershipChange? {
        guard subscription.groups.isEmpty else { return nil }
        if subscription.devices.count == 1, subscription.topics.count == 1 {
            return try subscribeOneByBits(
                subscription.devices[0], to: .topic(subscription.topics[0]), app: app, in: &transaction)
        }
        return try subscribeManyByBits(
            subscription.devices, to: Self.distinct(subscription.topics).map(SetLabel.topic), app: app,
            in: &transaction)
    }

    /// Subscribes devices to topics, as ``subscribeByBits(_:app:in:)`` does.
    private func subscribeManyByBits(
        _ references: [DeviceReference], to topics: [SetLabel], app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer.MembershipChange? {
        guard references.count * topics.count <= AffectedDevices.maximumDevices,
            try context.sets.hasRoomForTopics(of: app, adding: topics.count, in: transaction)
        else { return nil }
        let known = try topics.map { try context.sets.find($0, app: app, in: transaction) }
        guard known.allSatisfy({ ($0?.record.groupSubscriptions ?? 0) == 0 }) else { return nil }
        var answer = ChangeAnswer.MembershipChange()
        var found: [DeviceID] = []
        for (index, reference) in references.enumerated() {
            guard let (id, state) = try context.devices.state(of: reference, app: app, in: transaction) else {
                answer.unknown.append(UInt32(index))
                continue
            }
            guard state == .active else { return nil }
            found.append(id)
        }
        guard !found.isEmpty else { return answer }

        answer.device = found[0]
        let topicSets = try zip(known, topics).map { try $0 ?? context.deviceSets.set($1, of: app, in: &transaction) }
        var affected: [DeviceID] = []
        for device in found {
            let before = answer.changed
            for topic in topicSets where try context.sets.insert(device, into: topic, in: transaction) {
                context.bufferedTopics.add(topic.number, of: device, app: app)
                transaction.countFutureChange(of: tables.memberships.database)
                answer.changed += 1
            }
            // A device that is named twice has changed once.
            if answer.changed > before { affected.append(device) }
        }
        answer.affected = .devices(affected.sorted())
        return answer
    }

    /// Subscribes one device to one topic, as ``subscribeByBits(_:app:in:)`` does. This is the usual case, and it
    /// allocates no lists.
    private func subscribeOneByBits(
        _ reference: DeviceReference, to topic: SetLabel, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer.MembershipChange? {
        guard try context.sets.hasRoomForTopics(of: app, adding: 1, in: transaction) else { return nil }
        let known = try context.sets.find(topic, app: app, in: transaction)
        if let known, known.record.groupSubscriptions != 0 { return nil }
        var answer = ChangeAnswer.MembershipChange()
        guard let (id, state) = try context.devices.state(of: reference, app: app, in: transaction) else {
            answer.unknown = [0]
            return answer
        }
        guard state == .active else { return nil }
        answer.device = id
        let topicSet = try known ?? context.deviceSets.set(topic, of: app, in: &transaction)
        guard try context.sets.insert(id, into: topicSet, in: transaction) else { return answer }
        context.bufferedTopics.add(topicSet.number, of: id, app: app)
        transaction.countFutureChange(of: tables.memberships.database)
        answer.changed = 1
        answer.affected = .devices([id])
        return answer
    }

    /// Applies UNSUBSCRIBE (Protocol 9.1).
    func unsubscribe(_ subscription: TopicSubscription, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let app = try context.ids.knownNumber(of: subscription.app, in: transaction) else {
            return .membership(.noneFound(subscription.devices))
        }
        var (members, answer) = try context.memberFinder.members(subscription.devices, app: app, in: transaction)
        let topics = try Self.distinct(subscription.topics).compactMap {
            try context.sets.find(.topic($0), app: app, in: transaction)
        }
        let groups = Self.distinct(subscription.groups).map(SetLabel.group)
        guard try mayChange(topics.count, of: groups, app: app, in: transaction) else {
            return .refused(.tooMany(.topicsOfGroups))
        }
        var result = ChangeResult(topics: topics)
        for index in members.indices {
            try change(
                &members[index], app: app, into: &result, in: &transaction, context.deviceSets.removeTopic(_:from:in:))
        }
        for group in groups {
            guard let group = try context.sets.find(group, app: app, in: transaction) else { continue }
            try change(group, into: &result, in: &transaction, context.deviceSets.removeTopic(_:from:in:))
        }
        return .membership(result.completing(answer))
    }

    // MARK: One device or group

    /// The topics that are added or removed, and what has changed so far.
    private struct ChangeResult {
        let topics: [CachedSet]
        var changed: UInt32 = 0
        var affected = AffectedDevices()

        func completing(_ answer: ChangeAnswer.MembershipChange) -> ChangeAnswer.MembershipChange {
            var answer = answer
            answer.changed += changed
            answer.affected = affected.result
            return answer
        }
    }

    /// Changes the topics of a device, and writes its membership if one has changed.
    ///
    /// - Parameter changeTopic: adds or removes one topic; returns false if nothing has changed.
    private func change(
        _ member: inout ChangingDevice, app: AppNumber, into result: inout ChangeResult,
        in transaction: inout WriteTransaction,
        _ changeTopic: (CachedSet, inout ChangingDevice, inout WriteTransaction) throws -> Bool
    ) throws {
        var changes: UInt32 = 0
        for topic in result.topics where try changeTopic(topic, &member, &transaction) { changes += 1 }
        guard changes > 0 else { return }
        try tables.memberships.put(member.membership, for: member.id, app: app, in: &transaction)
        result.changed += changes
        result.affected.insert(member.id)
    }

    /// Changes the topics of a group.
    ///
    /// - Parameter changeTopic: adds or removes one topic; returns false if nothing has changed.
    private func change(
        _ group: CachedSet, into result: inout ChangeResult, in transaction: inout WriteTransaction,
        _ changeTopic: (CachedSet, CachedSet, inout WriteTransaction) throws -> Bool
    ) throws {
        var changes: UInt32 = 0
        for topic in result.topics where try changeTopic(topic, group, &transaction) { changes += 1 }
        guard changes > 0 else { return }
        result.changed += changes
        try insertDevices(of: group, into: &result.affected, in: transaction)
    }

    // MARK: References and limits

    /// Returns true if one change may add or remove that many topics of the groups
    /// (`MembershipLimits.topicChanges`).
    private func mayChange(
        _ topics: Int, of groups: [SetLabel], app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        var changes = 0
        for label in groups {
            guard let group = try context.sets.find(label, app: app, in: transaction), group.record.devices > 0 else {
                continue
            }
            changes += try context.sets.chunks(of: group, in: transaction).count * topics
            guard changes <= MembershipLimits.topicChanges else { return false }
        }
        return true
    }

    /// Returns each of the names once, in their order, because the order decides the numbers of new sets. Nearly always
    /// there is only one name.
    private static func distinct<Name: Hashable>(_ names: [Name]) -> [Name] {
        guard names.count > 1 else { return names }
        var seen: Set<Name> = []
        return names.filter { seen.insert($0).inserted }
    }

    private func insertDevices(
        of group: CachedSet, into affected: inout AffectedDevices, in transaction: borrowing WriteTransaction
    ) throws {
        guard affected.hasRoom(for: group.record.devices) else { return affected.markAllDevices() }
        for chunk in try context.sets.chunks(of: group, in: transaction) {
            for offset in try context.sets.bits(of: group, at: chunk, in: transaction) {
                affected.insert(DeviceID(chunk: chunk, offset: offset))
            }
        }
    }
}
