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
        guard let app = try ids.knownNumber(of: app, transaction),
            let old = try device(reference, app: app, transaction)
        else {
            return .refused(.notFound)
        }
        var device = old
        guard Self.merge(update.attributes, into: &device.attributes) else { return .refused(.tooMany(.attributes)) }
        device.locale = Self.text(update.locale, stored: old.locale)
        device.timeZone = Self.text(update.timeZone, stored: old.timeZone)
        if device != old {
            try layout.devices.put(&transaction, app: app, device)
            if device.state == .active { try move(old, to: device, app, in: &transaction) }
        }
        if let isMuted = update.isMuted {
            var member = try member(device.id, device.state, app: app, transaction)
            let muted = try set(.muted, of: app, in: &transaction)
            let hasChanged =
                isMuted
                ? try addTopic(muted, to: &member, transaction) : try removeTopic(muted, from: &member, transaction)
            if hasChanged { try layout.memberships.put(&transaction, app: app, device.id, member.membership) }
        }
        return .updated(device.id)
    }

    /// JOIN and SWITCH (Protocol 7a.1, 7a.3).
    ///
    /// An announcement is for the devices that were in the group before: it leaves out every device that enters with
    /// this change.
    func join(_ join: Join, now: Timestamp, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: join.app, transaction) else {
            return .membership(.noneFound(join.devices))
        }
        var (members, answer) = try members(join.devices, app: app, transaction)
        let known = try sets.find(app: app, .group(join.group), transaction)?.number
        let leaving =
            try join.leaving == join.group
            ? nil : join.leaving.flatMap { try sets.find(app: app, .group($0), transaction) }
        for member in members {
            let groups = member.membership.groups
            let isMember = known.map(groups.containsSorted) ?? false
            let leaves = leaving.map { groups.containsSorted($0.number) } ?? false
            guard isMember || groups.count - (leaves ? 1 : 0) < MembershipLimits.groups else {
                return .refused(.tooMany(.groups))
            }
        }
        guard !members.isEmpty else { return .membership(answer) }

        let group = try set(.group(join.group), of: app, in: &transaction)
        var entered: [DeviceID] = []
        var affected = AffectedDevices()
        for index in members.indices {
            let hasLeft = try leaving.map { try removeGroup($0, from: &members[index], transaction) } ?? false
            let hasEntered = try addGroup(group, to: &members[index], transaction)
            guard hasLeft || hasEntered else { continue }
            let id = members[index].id
            try layout.memberships.put(&transaction, app: app, id, members[index].membership)
            if hasLeft { answer.left += 1 }
            if hasEntered { entered.append(id) }
            affected.insert(id)
        }
        answer.changed = UInt32(clamping: entered.count)
        answer.affected = affected.result
        if let content = join.announcement, !entered.isEmpty {
            let message = Message(content: content, audience: .groups([join.group]))
            let accepted = try accept(message, except: entered.sorted(), now: now, in: &transaction)
            if case .accepted(let acceptance, let entry) = accepted {
                answer.announcement = MembershipAnswer.Announcement(id: acceptance.id, entry: entry)
            }
        }
        return .membership(answer)
    }

    /// LEAVE (Protocol 7a.2).
    func leave(_ leave: Leave, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: leave.app, transaction) else {
            return .membership(.noneFound(leave.devices))
        }
        var (members, answer) = try members(leave.devices, app: app, transaction)
        let group = try sets.find(app: app, .group(leave.group), transaction)
        let muted = try sets.find(app: app, .muted, transaction)?.number
        var affected = AffectedDevices()
        for index in members.indices {
            var hasChanged = false
            if let group, try removeGroup(group, from: &members[index], transaction) {
                answer.changed += 1
                hasChanged = true
            }
            // The mute of the device itself is no subscription: it outlives a sign-out.
            for number in leave.clearsTopics ? members[index].membership.topics : [] where number != muted {
                _ = try removeTopic(sets.find(app: app, number, transaction), from: &members[index], transaction)
                hasChanged = true
            }
            guard hasChanged else { continue }
            try layout.memberships.put(&transaction, app: app, members[index].id, members[index].membership)
            affected.insert(members[index].id)
        }
        answer.affected = affected.result
        return .membership(answer)
    }

    /// SUBSCRIBE (Protocol 7b.1).
    func subscribe(_ subscription: Subscription, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        let app = try ids.number(of: subscription.app, in: &transaction)
        if let answer = try subscribeByBits(subscription, app, in: &transaction) { return .membership(answer) }
        let topics = Self.distinct(subscription.topics).map(SetLabel.topic)
        try flushIngestBuffer(in: &transaction)
        var (members, answer) = try members(subscription.devices, app: app, transaction)
        let groups = Self.distinct(subscription.groups).map(SetLabel.group)
        for member in members {
            guard try count(topics, beyond: member.membership.topics, app: app, transaction) <= MembershipLimits.topics
            else { return .refused(.tooMany(.topics)) }
        }
        for group in groups {
            let subscribed =
                try sets.find(app: app, group, transaction).map { try sets.topics(of: $0, transaction) } ?? []
            guard try count(topics, beyond: subscribed, app: app, transaction) <= MembershipLimits.topics else {
                return .refused(.tooMany(.topics))
            }
        }
        guard !members.isEmpty || !groups.isEmpty else { return .membership(answer) }

        var affected = AffectedDevices()
        let topicSets = try topics.map { try set($0, of: app, in: &transaction) }
        for index in members.indices {
            var changes: UInt32 = 0
            for topic in topicSets where try addTopic(topic, to: &members[index], transaction) { changes += 1 }
            guard changes > 0 else { continue }
            try layout.memberships.put(&transaction, app: app, members[index].id, members[index].membership)
            answer.changed += changes
            affected.insert(members[index].id)
        }
        for group in groups {
            let group = try set(group, of: app, in: &transaction)
            var changes: UInt32 = 0
            for topic in topicSets where try addTopic(topic, to: group, in: &transaction) { changes += 1 }
            guard changes > 0 else { continue }
            answer.changed += changes
            try insertDevices(of: group, into: &affected, transaction)
        }
        answer.affected = affected.result
        return .membership(answer)
    }

    /// Subscribes devices without reading their memberships, which are written later. Returns nil, without a change,
    /// if memberships must be read.
    ///
    /// The active devices in a topic to which no group is subscribed are exactly the ones that are subscribed
    /// themselves. And no limit can be exceeded in an app that has no more topics than one device may have. So the bits
    /// of the topic say enough for active devices.
    private func subscribeByBits(
        _ subscription: Subscription,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> MembershipAnswer? {
        guard subscription.groups.isEmpty else { return nil }
        if subscription.devices.count == 1, subscription.topics.count == 1 {
            return try subscribeOneByBits(
                subscription.devices[0], to: .topic(subscription.topics[0]), app, in: &transaction)
        }
        return try subscribeByBits(
            subscription.devices, Self.distinct(subscription.topics).map(SetLabel.topic), app: app, in: &transaction)
    }

    private func subscribeByBits(
        _ references: [DeviceReference],
        _ topics: [SetLabel],
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> MembershipAnswer? {
        guard references.count * topics.count <= AffectedDevices.limit,
            try sets.hasRoomForTopics(app, adding: topics.count, transaction)
        else { return nil }
        let known = try topics.map { try sets.find(app: app, $0, transaction) }
        guard known.allSatisfy({ $0 == nil || $0?.record.groupSubscriptions == 0 }) else { return nil }
        var answer = MembershipAnswer()
        var devices: [DeviceID] = []
        for (index, reference) in references.enumerated() {
            guard let (id, state) = try state(of: reference, app, transaction) else {
                if try mayBeBuffered(reference, app: app, transaction) { return nil }
                answer.unknown.append(UInt32(index))
                continue
            }
            guard state == .active else { return nil }
            devices.append(id)
        }
        guard !devices.isEmpty else { return answer }

        answer.device = devices[0]
        let topicSets = try zip(known, topics).map { try $0 ?? set($1, of: app, in: &transaction) }
        var affected: [DeviceID] = []
        for device in devices {
            let before = answer.changed
            for topic in topicSets where try sets.insert(device, into: topic, transaction) {
                ingestBuffer.add(topic.number, of: device, app)
                transaction.expectChange(of: layout.memberships.database)
                answer.changed += 1
            }
            // A device that is named twice has changed once.
            if answer.changed > before { affected.append(device) }
        }
        answer.affected = .devices(affected.sorted())
        return answer
    }

    /// Whether a device that was not found may have an address in the ingest buffer.
    private func mayBeBuffered(
        _ reference: DeviceReference, app: AppNumber, _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard case .address(let address) = reference else { return false }
        return try mayBeBuffered(layout.digest(of: address, app), app: app, transaction)
    }

    /// The same for one device and one topic, the usual case: without allocating lists.
    private func subscribeOneByBits(
        _ reference: DeviceReference,
        to topic: SetLabel,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> MembershipAnswer? {
        guard try sets.hasRoomForTopics(app, adding: 1, transaction) else { return nil }
        let known = try sets.find(app: app, topic, transaction)
        if let known, known.record.groupSubscriptions != 0 { return nil }
        var answer = MembershipAnswer()
        guard let (id, state) = try state(of: reference, app, transaction) else {
            if try mayBeBuffered(reference, app: app, transaction) { return nil }
            answer.unknown = [0]
            return answer
        }
        guard state == .active else { return nil }
        answer.device = id
        let topicSet = try known ?? set(topic, of: app, in: &transaction)
        guard try sets.insert(id, into: topicSet, transaction) else { return answer }
        ingestBuffer.add(topicSet.number, of: id, app)
        transaction.expectChange(of: layout.memberships.database)
        (answer.changed, answer.affected) = (1, .devices([id]))
        return answer
    }

    /// UNSUBSCRIBE (Protocol 7b.1).
    func unsubscribe(_ subscription: Subscription, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: subscription.app, transaction) else {
            return .membership(.noneFound(subscription.devices))
        }
        var (members, answer) = try members(subscription.devices, app: app, transaction)
        let topics = try Self.distinct(subscription.topics).compactMap {
            try sets.find(app: app, .topic($0), transaction)
        }
        var affected = AffectedDevices()
        for index in members.indices {
            var changes: UInt32 = 0
            for topic in topics where try removeTopic(topic, from: &members[index], transaction) { changes += 1 }
            guard changes > 0 else { continue }
            try layout.memberships.put(&transaction, app: app, members[index].id, members[index].membership)
            answer.changed += changes
            affected.insert(members[index].id)
        }
        for group in Self.distinct(subscription.groups) {
            guard let group = try sets.find(app: app, .group(group), transaction) else { continue }
            var changes: UInt32 = 0
            for topic in topics where try removeTopic(topic, from: group, in: &transaction) { changes += 1 }
            guard changes > 0 else { continue }
            answer.changed += changes
            try insertDevices(of: group, into: &affected, transaction)
        }
        answer.affected = affected.result
        return .membership(answer)
    }

    /// UPDATE_GROUP (Protocol 7a.6).
    func mute(
        _ group: GroupName,
        app: AppID,
        _ isMuted: Bool?,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard isMuted == true else {
            guard let app = try ids.knownNumber(of: app, transaction),
                let group = try sets.find(app: app, .group(group), transaction)
            else { return .muted(devices: 0, hasChanged: false) }
            var hasChanged = false
            if isMuted == false, let muted = try sets.find(app: app, .muted, transaction) {
                hasChanged = try removeTopic(muted, from: group, in: &transaction)
            }
            return .muted(devices: group.record.devices, hasChanged: hasChanged)
        }
        let app = try ids.number(of: app, in: &transaction)
        let group = try set(.group(group), of: app, in: &transaction)
        let muted = try set(.muted, of: app, in: &transaction)
        let hasChanged = try addTopic(muted, to: group, in: &transaction)
        return .muted(devices: group.record.devices, hasChanged: hasChanged)
    }

    /// The number of groups, or topics, that a device or group has with `labels`, each counted once; without the set of
    /// the muted.
    func count(
        _ labels: some Collection<SetLabel>,
        beyond held: [SetNumber],
        app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Int {
        // Most are far from every limit: a sum is enough for them.
        guard held.count + labels.count > MembershipLimits.groups else { return held.count + labels.count }
        let muted = try sets.find(app: app, .muted, transaction)?.number
        return try labels.reduce(held.count { $0 != muted }) { count, label in
            let known = try sets.find(app: app, label, transaction)?.number
            return count + (known.map(held.containsSorted) ?? false ? 0 : 1)
        }
    }

    // MARK: References

    /// Each of the names once. Nearly always there is only one.
    private static func distinct<Name: Hashable>(_ names: [Name]) -> [Name] {
        names.count < 2 ? names : Array(Set(names))
    }

    /// The registered devices of the references, each once, and an answer that lists the other references.
    private func members(
        _ references: [DeviceReference],
        app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> (members: [Member], answer: MembershipAnswer) {
        var answer = MembershipAnswer()
        var members: [Member] = []
        var seen: Set<DeviceID> = []
        for (index, reference) in references.enumerated() {
            guard let (id, state) = try state(of: reference, app, transaction) else {
                answer.unknown.append(UInt32(index))
                continue
            }
            if answer.device == nil { answer.device = id }
            if references.count == 1 || seen.insert(id).inserted {
                members.append(try member(id, state, app: app, transaction))
            }
        }
        return (members, answer)
    }

    private func member(
        _ id: DeviceID,
        _ state: DeviceState,
        app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Member {
        Member(
            id: id,
            isActive: state == .active,
            membership: try layout.memberships.get(transaction, app: app, id)
        )
    }

    private func insertDevices(
        of group: CachedSet,
        into affected: inout AffectedDevices,
        _ transaction: borrowing WriteTransaction
    ) throws {
        guard affected.hasRoom(for: group.record.devices) else { return affected.insertEverybody() }
        for chunk in try sets.chunks(of: group, transaction) {
            for offset in try sets.bits(of: group, at: chunk, transaction) {
                affected.insert(DeviceID(chunk: chunk, offset: offset))
            }
        }
    }
}

/// The devices whose audiences may have changed, up to a limit.
private struct AffectedDevices {
    static let limit = 1_000

    private var ids: Set<DeviceID> = []
    private var isEverybody = false

    var result: MembershipAnswer.Affected { isEverybody ? .allDevices : .devices(ids.sorted()) }

    func hasRoom(for count: UInt64) -> Bool { count <= Self.limit - ids.count }

    mutating func insert(_ id: DeviceID) {
        guard !isEverybody else { return }
        if hasRoom(for: 1) { ids.insert(id) } else if !ids.contains(id) { insertEverybody() }
    }

    mutating func insertEverybody() {
        isEverybody = true
        ids = []
    }
}

extension MembershipAnswer {
    /// The answer in an app without devices.
    fileprivate static func noneFound(_ devices: [DeviceReference]) -> MembershipAnswer {
        var answer = MembershipAnswer()
        answer.unknown = devices.indices.map { UInt32($0) }
        return answer
    }
}
