import CarillonCore
import CarillonLMDB

/// Applies JOIN, LEAVE, SWITCH and UPDATE_GROUP: the members and the topics of groups.
final class GroupApplier {
    private let context: WriteContext
    private let tables: Tables
    private let sends: SendApplier

    /// Makes the applier of the changes of groups.
    ///
    /// - Parameter sends: accepts the announcements of joins.
    init(_ context: WriteContext, sends: SendApplier) {
        self.context = context
        tables = context.tables
        self.sends = sends
    }

    /// Applies JOIN or SWITCH (Protocol 8.1, 8.3).
    ///
    /// An announcement is for the devices that were in the group before: it leaves out every device that enters with
    /// this change.
    func join(
        _ join: JoinRequest, sender: String?, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try context.ids.knownNumber(of: join.app, in: transaction) else {
            return .membership(.noneFound(join.devices))
        }
        var (members, answer) = try context.memberFinder.members(join.devices, app: app, in: transaction)
        let knownGroup = try context.sets.find(.group(join.group), app: app, in: transaction)
        // SWITCH also removes the devices from another group. To leave the group that they join changes nothing.
        let leaving = join.leaving == join.group ? nil : join.leaving
        let leftGroup = try leaving.flatMap { try context.sets.find(.group($0), app: app, in: transaction) }
        guard members.allSatisfy({ $0.hasRoom(for: knownGroup?.number, leaving: leftGroup?.number) }) else {
            return .refused(.tooMany(.groups))
        }
        guard !members.isEmpty else { return .membership(answer) }
        let gainedTopics = try context.deviceSets.topicCount(of: knownGroup, in: transaction)
        let lostTopics = try context.deviceSets.topicCount(of: leftGroup, in: transaction)
        guard members.count * (gainedTopics + lostTopics) <= MembershipLimits.topicChanges else {
            return .refused(.tooMany(.topicsOfDevices))
        }

        let group = try context.deviceSets.set(.group(join.group), of: app, in: &transaction)
        let entered = try enter(group, leaving: leftGroup, members: &members, answer: &answer, in: &transaction)
        answer.announcement = try announce(join, entered: entered, sender: sender, now: now, in: &transaction)
        return .membership(answer)
    }

    /// Puts devices into a group, and removes them from the group that they leave, if there is one.
    ///
    /// - Parameter answer: gets the numbers of changes and the affected devices.
    /// - Returns: the devices that were not in the group before.
    private func enter(
        _ group: CachedSet, leaving: CachedSet?, members: inout [ChangingDevice],
        answer: inout ChangeAnswer.MembershipChange, in transaction: inout WriteTransaction
    ) throws -> [DeviceID] {
        var entered: [DeviceID] = []
        var affected = AffectedDevices()
        for index in members.indices {
            let hasLeft =
                try leaving.map { try context.deviceSets.removeGroup($0, from: &members[index], in: &transaction) }
                ?? false
            let hasEntered = try context.deviceSets.addGroup(group, to: &members[index], in: &transaction)
            guard hasLeft || hasEntered else { continue }
            let id = members[index].id
            try tables.memberships.put(members[index].membership, for: id, app: group.app, in: &transaction)
            if hasLeft { answer.left += 1 }
            if hasEntered { entered.append(id) }
            affected.insert(id)
        }
        answer.changed = UInt32(clamping: entered.count)
        answer.affected = affected.result
        return entered
    }

    /// Accepts the announcement of a join, a message to the devices that were in the group before.
    ///
    /// - Returns: the accepted message. Nil if the join has no announcement, if no device has entered the group, or if
    ///   the message is refused: the devices are in the group all the same.
    private func announce(
        _ join: JoinRequest, entered: [DeviceID], sender: String?, now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer.MembershipChange.AcceptedAnnouncement? {
        guard let content = join.announcement, !entered.isEmpty else { return nil }
        let message = Message(content: content, audience: .groups([join.group]))
        let accepted = try sends.accept(
            message, sender: sender, excluding: entered.sorted(), now: now, in: &transaction)
        guard case .accepted(let acceptance, let outbound) = accepted else { return nil }
        return ChangeAnswer.MembershipChange.AcceptedAnnouncement(id: acceptance.id, outbound: outbound)
    }

    /// Applies LEAVE (Protocol 8.2).
    func leave(_ leave: LeaveRequest, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let app = try context.ids.knownNumber(of: leave.app, in: transaction) else {
            return .membership(.noneFound(leave.devices))
        }
        var (members, answer) = try context.memberFinder.members(leave.devices, app: app, in: transaction)
        let group = try context.sets.find(.group(leave.group), app: app, in: transaction)
        let ownTopics = leave.clearsTopics ? members.reduce(0) { $0 + $1.membership.topics.count } : 0
        let topicsOfGroup = try context.deviceSets.topicCount(of: group, in: transaction)
        guard members.count * topicsOfGroup + ownTopics <= MembershipLimits.topicChanges else {
            return .refused(.tooMany(.topicsOfDevices))
        }
        let muted = try context.sets.find(.muted, app: app, in: transaction)?.number
        var affected = AffectedDevices()
        for index in members.indices {
            var hasChanged = false
            if let group, try context.deviceSets.removeGroup(group, from: &members[index], in: &transaction) {
                answer.changed += 1
                hasChanged = true
            }
            // The mute of the device itself is not a subscription, so it outlives a sign-out.
            let clearedTopics = leave.clearsTopics ? members[index].membership.topics : []
            for number in clearedTopics where number != muted {
                _ = try context.deviceSets.removeTopic(
                    context.sets.get(number, app: app, in: transaction), from: &members[index], in: &transaction)
                hasChanged = true
            }
            guard hasChanged else { continue }
            try tables.memberships.put(members[index].membership, for: members[index].id, app: app, in: &transaction)
            affected.insert(members[index].id)
        }
        answer.affected = affected.result
        return .membership(answer)
    }

    /// Applies UPDATE_GROUP (Protocol 8.6). The muted devices and groups are a set that is kept like a topic: to mute a
    /// group is to subscribe it to this set.
    func updateGroup(
        _ group: GroupName,
        app: AppID,
        isMuted: Bool?,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        if isMuted == true { return try mute(group, app: app, in: &transaction) }
        guard let app = try context.ids.knownNumber(of: app, in: transaction),
            let group = try context.sets.find(.group(group), app: app, in: transaction)
        else { return .groupUpdated(devices: 0, hasChanged: false) }
        var hasChanged = false
        if isMuted == false, let muted = try context.sets.find(.muted, app: app, in: transaction) {
            hasChanged = try context.deviceSets.removeTopic(muted, from: group, in: &transaction)
        }
        return .groupUpdated(devices: group.record.devices, hasChanged: hasChanged)
    }

    /// Mutes a group, and makes it if it does not exist: devices that join later are muted then.
    private func mute(_ group: GroupName, app: AppID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        let app = try context.ids.number(of: app, in: &transaction)
        let group = try context.deviceSets.set(.group(group), of: app, in: &transaction)
        let muted = try context.deviceSets.set(.muted, of: app, in: &transaction)
        let hasChanged = try context.deviceSets.addTopic(muted, to: group, in: &transaction)
        return .groupUpdated(devices: group.record.devices, hasChanged: hasChanged)
    }
}

extension ChangingDevice {
    /// Returns true if the device is in a group already, or can enter it after it has left another one.
    fileprivate func hasRoom(for group: SetNumber?, leaving: SetNumber?) -> Bool {
        let groups = membership.groups
        if let group, groups.containsSorted(group) { return true }
        let leaves = leaving.map { groups.containsSorted($0) } ?? false
        return groups.count - (leaves ? 1 : 0) < MembershipLimits.groupsPerDevice
    }
}
