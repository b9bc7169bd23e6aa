import CarillonCore
import CarillonRegistryTestKit

/// A model of the registry with one app: the rules of Protocol 7 to 10 over dictionaries in memory. Random tests make
/// the same changes in the model and in the real registry, and compare answers and states.
///
/// It has no pages, caches or limits: each message has one page, and no change is too large. Times are milliseconds.
struct ReferenceRegistry {
    /// A tombstone with the time of the unregistration, and that at which it was written.
    struct StoredTombstone: Equatable {
        var at: UInt64
        var written: UInt64
    }

    /// An accepted message with its recipients and all that has happened to them.
    struct Sent: Equatable {
        /// The recipients. Of a live audience, they are those of its only page, once that is fixed.
        var recipients: [RecipientOutcome]
        var acceptedAt: UInt64
        var finishedAt: UInt64
        var endedAtAcceptance: Int
        /// The delays, by position in the page.
        var delays: [Int: OutcomeRecord.Delay] = [:]
        /// The newest attempts, by position in the page, the oldest first.
        var attempts: [Int: [TraceAttempt]] = [:]
        var live: Live?
        /// The channel of a broadcast push: its one recipient, which is not a device; nil for other messages.
        var channel: ChannelAddress?
        var content: MessageContent
        var metadata: MessageMetadata
        var notAfter: Timestamp?
        var lane = Lane.interactive
        var waitingState = MessageState.waiting
        var isCancelled = false
        /// The time for which the message was scheduled; 0 if it was not.
        var sendAt: UInt64 = 0
        /// The time since which the message can be sent; 0 while it waits for its time.
        var sendableSince: UInt64 = 0
        var pace: UInt32?
        var receipts: [ReceiptKind: Set<UInt64>] = [:]

        var state: MessageState {
            if finishedAt > 0 { return .finished }
            if waitingState != .waiting { return waitingState }
            return recipients.count { $0.outcome != .pending } == endedAtAcceptance ? .waiting : .sending
        }

        var total: Int { finishedAt > 0 ? recipients.count : max(recipients.count, live?.expected ?? 0) }
    }

    /// The body of a RESEND, which a repetition under the same key must have.
    struct Resend: Hashable {
        var message: MessageID
        var outcomes: Set<Outcome>
        var notAfter: Timestamp?
    }

    /// An audience that is evaluated while the message is sent.
    struct Live: Equatable {
        var audience: Audience
        var excluded: Set<UInt64>
        /// The first id that a device would get after the audience was fixed: devices from it on are not addressed.
        var bound: UInt64
        /// The number of devices in the audience when the message was accepted, or released from the schedule.
        var expected: Int
    }

    /// The memberships of a device itself, without the topics of its groups.
    struct Membership: Equatable {
        var groups: Set<String> = []
        var topics: Set<String> = []
        var isMuted = false
    }

    /// The first request with an idempotency key, and its answer.
    struct KeyUse: Equatable {
        var body: AnyHashable
        var answer: SendResult
        var at: UInt64
    }

    var devices: [UInt64: DeviceRecord] = [:]
    var memberships: [UInt64: Membership] = [:]
    var groupTopics: [String: Set<String>] = [:]
    var mutedGroups: Set<String> = []
    var tombstones: [DeviceAddress: StoredTombstone] = [:]
    var messages: [UInt64: Sent] = [:]
    var keyUses: [UUIDBytes: KeyUse] = [:]
    /// The time at which each device in quarantine was put there.
    var quarantinedSince: [UInt64: UInt64] = [:]
    var lastDevice: UInt64 = 0
    var lastMessage: UInt64 = 0

    // The retention of each kind of row.
    static let tombstoneMilliseconds: UInt64 = 300
    static let keyMilliseconds: UInt64 = 100
    static let messageMilliseconds: UInt64 = 200
    static let quarantineMilliseconds: UInt64 = 150

    func device(at address: DeviceAddress) -> DeviceRecord? { devices.values.first { $0.address == address } }

    /// Makes a change, and returns the answer that the registry must give.
    mutating func apply(_ change: Change) -> ChangeAnswer {
        switch change {
        case .register(let registration, now: let now):
            register(registration, now: now.milliseconds)
        case .unregister(let request, let now):
            unregister(request.device, at: request.at.milliseconds, now: now.milliseconds)
        case .updateDevice(let request):
            update(request.device, with: request.update)
        case .join(let request, let sender, let now):
            join(request, sender: sender, now: now.milliseconds)
        case .leave(let request):
            leave(request)
        case .subscribe(let subscription):
            subscribe(subscription)
        case .unsubscribe(let subscription):
            unsubscribe(subscription)
        case .updateGroup(let request):
            updateGroup(request.group.name, isMuted: request.isMuted)
        case .accept(let message, let sender, let now):
            accept(message, sender: sender, now: now.milliseconds)
        case .setAudienceCount(let message, _):
            // The model counts the audience of each message when it is accepted.
            messages[message.rawValue].map { .audienceCounted(devices: UInt64($0.total)) } ?? .refused(.notFound)
        case .recordOutcomes(let record, let now):
            recordOutcomes(record, now: now.milliseconds)
        case .finish(let message, now: let now):
            finish(message, now: now.milliseconds)
        case .updateMessage(let request, let now):
            updateMessage(request.id.rawValue, messageUpdate: request.messageUpdate, now: now.milliseconds)
        case .resend(let request, let sender, let now):
            resend(
                request.id, key: request.idempotencyKey, outcomes: Set(request.outcomes), notAfter: request.notAfter,
                sender: sender, now: now.milliseconds)
        case .releaseScheduled(let now):
            release(now.milliseconds)
        case .countReceipts(let request, _):
            countReceipts(request.receipts)
        case .restore(let request, _):
            restore(request.device)
        case .appendEvent, .acknowledge, .configure:
            .applied
        case .forgetSubscriber:
            .forgotten(wasKnown: false)
        case .claim:
            .claimed(nil)
        case .claimPages:
            .pagesClaimed(PageClaim())
        case .endBlock:
            .messageChecked(isFinished: false)
        case .releaseBlocks:
            .applied
        }
    }

    /// Returns a time that a caller gave as it counts: 0 and the future stand for now.
    func clamp(_ time: UInt64, _ now: UInt64) -> UInt64 { time == 0 || time > now ? now : time }

    mutating func register(_ new: Registration, now: UInt64) -> ChangeAnswer {
        let seen = clamp(new.seenAt.milliseconds, now)
        let current = self.device(at: new.address)
        let oldAddress = new.replaces.map {
            DeviceAddress(environment: new.address.environment, kind: new.address.kind, token: $0)
        }
        let old = oldAddress == new.address ? nil : oldAddress.flatMap { self.device(at: $0) }
        if let tombstone = tombstones[new.address], tombstone.at > now ? seen < now : tombstone.at >= seen {
            return .refused(.stale)
        }
        let stored = [current, old].map { min($0?.seenAt.milliseconds ?? 0, now) }
        if stored.contains(where: { $0 > seen }) { return .refused(.stale) }
        var result = RegisterResultKind.created
        if current != nil { result = .refreshed }
        if old != nil { result = .replaced }
        if old == nil && current == nil { lastDevice += 1 }
        let known = old ?? current
        if let old { tombstones[old.address] = StoredTombstone(at: seen, written: now) }
        if old != nil, let current { remove(current.id.rawValue) }
        tombstones[new.address] = nil
        let id = known?.id ?? deviceID(lastDevice)
        let death = old == nil ? quarantinedSince[id.rawValue] : nil
        let staysDead = death.map { seen < now && seen <= $0 } ?? false
        devices[id.rawValue] = DeviceRecord(
            id: id,
            address: new.address,
            registeredAt: staysDead ? known!.registeredAt : Timestamp(milliseconds: now),
            seenAt: Timestamp(milliseconds: seen),
            state: staysDead ? .quarantined : .active,
            locale: new.locale.map { $0.isEmpty ? nil : $0 } ?? known?.locale,
            timeZone: new.timeZone.map { $0.isEmpty ? nil : $0 } ?? known?.timeZone,
            attributes: merged(new.attributes, into: known?.attributes)
        )
        if !staysDead { quarantinedSince[id.rawValue] = nil }
        memberships[id.rawValue, default: Membership()].topics.formUnion(new.topics.map(\.name))
        memberships[id.rawValue, default: Membership()].groups.formUnion(new.groups.map(\.name))
        let isChanged = new.locale != nil || !(new.attributes.isEmpty && new.topics.isEmpty && new.groups.isEmpty)
        return .registered(
            id, result, ended: old == nil ? nil : current?.id, changesAudiences: known != nil && isChanged)
    }

    mutating func unregister(_ reference: DeviceReference, at: UInt64, now: UInt64) -> ChangeAnswer {
        let at = clamp(at, now)
        let device: DeviceRecord?
        switch reference {
        case .id(let id):
            device = devices[id.rawValue]
            if device == nil { return .refused(.notFound) }
        case .address(let address):
            device = self.device(at: address)
            if device == nil {
                if tombstones[address].map({ $0.at < at || $0.at > now }) ?? true {
                    tombstones[address] = StoredTombstone(at: at, written: now)
                }
                return .unregistered(nil)
            }
        }
        guard let device, min(device.seenAt.milliseconds, now) <= at else { return .refused(.stale) }
        remove(device.id.rawValue)
        tombstones[device.address] = StoredTombstone(at: at, written: now)
        return .unregistered(device.id)
    }

    /// Removes a device. Its caller writes the tombstone.
    mutating func remove(_ id: UInt64) {
        devices[id] = nil
        memberships[id] = nil
        quarantinedSince[id] = nil
    }

    func merged(_ changes: [AttributeChange], into stored: Attributes?) -> Attributes {
        var attributes = stored ?? Attributes()
        // Why try?: the changes of the tests are never too many.
        try? attributes.merge(changes)
        return attributes
    }

    // MARK: Groups and topics

    func device(_ reference: DeviceReference) -> DeviceRecord? {
        switch reference {
        case .id(let id): devices[id.rawValue]
        case .address(let address): self.device(at: address)
        }
    }

    mutating func update(_ reference: DeviceReference, with update: DeviceUpdate) -> ChangeAnswer {
        guard var device = device(reference) else { return .refused(.notFound) }
        if let locale = update.locale { device.locale = locale.isEmpty ? nil : locale }
        if let timeZone = update.timeZone { device.timeZone = timeZone.isEmpty ? nil : timeZone }
        device.attributes = merged(update.attributes, into: device.attributes)
        devices[device.id.rawValue] = device
        if let isMuted = update.isMuted { memberships[device.id.rawValue, default: Membership()].isMuted = isMuted }
        return .updated(device.id)
    }

    /// Returns the ids of the registered devices of a list, each once, and an answer that lists the unknown references.
    func registered(_ references: [DeviceReference]) -> ([UInt64], ChangeAnswer.MembershipChange) {
        var answer = ChangeAnswer.MembershipChange()
        var ids: [UInt64] = []
        for (index, reference) in references.enumerated() {
            guard let id = device(reference)?.id else {
                answer.unknown.append(UInt32(index))
                continue
            }
            answer.device = answer.device ?? id
            if !ids.contains(id.rawValue) { ids.append(id.rawValue) }
        }
        return (ids, answer)
    }

    mutating func join(_ join: JoinRequest, sender: String?, now: UInt64) -> ChangeAnswer {
        var (ids, answer) = registered(join.devices)
        var entered: Set<UInt64> = []
        var affected: Set<UInt64> = []
        for id in ids {
            if let leaving = join.leaving, leaving != join.group,
                memberships[id, default: Membership()].groups.remove(leaving.name) != nil
            {
                answer.left += 1
                affected.insert(id)
            }
            if memberships[id, default: Membership()].groups.insert(join.group.name).inserted { entered.insert(id) }
        }
        affected.formUnion(entered)
        answer.changed = UInt32(entered.count)
        answer.affected = .devices(affected.sorted().map { deviceID($0) })
        if let content = join.announcement, !entered.isEmpty {
            let message = Message(content: content, audience: .groups([join.group]))
            let accepted = accept(message, sender: sender, now: now, excluding: entered)
            if case .accepted(let acceptance, let outbound) = accepted {
                answer.announcement = .init(id: acceptance.id, outbound: outbound)
            }
        }
        return .membership(answer)
    }

    mutating func leave(_ leave: LeaveRequest) -> ChangeAnswer {
        var (ids, answer) = registered(leave.devices)
        var affected: Set<UInt64> = []
        for id in ids {
            if memberships[id, default: Membership()].groups.remove(leave.group.name) != nil {
                answer.changed += 1
                affected.insert(id)
            }
            if leave.clearsTopics, memberships[id]?.topics.isEmpty == false {
                memberships[id]?.topics = []
                affected.insert(id)
            }
        }
        answer.affected = .devices(affected.sorted().map { deviceID($0) })
        return .membership(answer)
    }

    mutating func subscribe(_ subscription: TopicSubscription) -> ChangeAnswer {
        changeTopics(of: subscription) { topics, topic in topics.insert(topic).inserted }
    }

    mutating func unsubscribe(_ subscription: TopicSubscription) -> ChangeAnswer {
        changeTopics(of: subscription) { topics, topic in topics.remove(topic) != nil }
    }

    /// Changes the topics of the devices and groups of a subscription.
    ///
    /// - Parameter changeTopic: adds a topic to a set of topics or removes it; returns false if nothing has changed.
    mutating func changeTopics(
        of subscription: TopicSubscription, _ changeTopic: (inout Set<String>, String) -> Bool
    ) -> ChangeAnswer {
        var (ids, answer) = registered(subscription.devices)
        var affected: Set<UInt64> = []
        for topic in Set(subscription.topics.map(\.name)) {
            for id in ids where changeTopic(&memberships[id, default: Membership()].topics, topic) {
                answer.changed += 1
                affected.insert(id)
            }
            for group in Set(subscription.groups.map(\.name)) where changeTopic(&groupTopics[group, default: []], topic)
            {
                answer.changed += 1
                affected.formUnion(members { $0.groups.contains(group) })
            }
        }
        answer.affected = .devices(affected.sorted().map { deviceID($0) })
        return .membership(answer)
    }

    mutating func updateGroup(_ group: String, isMuted: Bool?) -> ChangeAnswer {
        let wasMuted = mutedGroups.contains(group)
        if let isMuted { if isMuted { mutedGroups.insert(group) } else { mutedGroups.remove(group) } }
        let devices = members { $0.groups.contains(group) }.count
        return .groupUpdated(devices: UInt64(devices), hasChanged: isMuted.map { $0 != wasMuted } ?? false)
    }

    /// Returns the active devices whose own memberships satisfy `isIn`, ascending.
    func members(_ isIn: (Membership) -> Bool) -> [UInt64] {
        devices.values.filter { $0.state == .active && isIn(memberships[$0.id.rawValue] ?? Membership()) }.map(
            \.id.rawValue
        )
        .sorted()
    }

    /// Returns true if an active device is in a set.
    func isDevice(_ id: UInt64, in set: SetName) -> Bool {
        guard let device = devices[id], device.state == .active else { return false }
        let memberships = memberships[id] ?? Membership()
        switch set {
        case .all: return true
        case .group(let group): return memberships.groups.contains(group.name)
        case .topic(let topic):
            return memberships.topics.contains(topic.name)
                || memberships.groups.contains { groupTopics[$0]?.contains(topic.name) ?? false }
        case .attribute(let key, let value):
            switch key.name {
            case "environment": return device.address.environment.name == value.text
            case "kind": return device.address.kind.name == value.text
            case "platform":
                let platform = ["apns": "ios", "fcm": "android", "web": "web"][device.address.kind.provider.name]
                return (device.attributes[key]?.text ?? platform) == value.text
            case "locale":
                let locale = device.locale?.lowercased() ?? ""
                return locale == value.text || locale.hasPrefix(value.text + "-")
            default: return device.attributes[key] == value
            }
        }
    }

    /// Returns true if a device is muted by itself or by one of its groups.
    func isMuted(_ id: UInt64) -> Bool {
        let memberships = memberships[id] ?? Membership()
        return memberships.isMuted || !memberships.groups.isDisjoint(with: mutedGroups)
    }

    /// Returns the devices that are in an audience now.
    func audience(_ audience: Audience) -> Set<UInt64> {
        guard let condition = audience.condition else { return [] }
        let expression = ConditionInterpreter(condition)
        return Set(devices.keys.filter { devices[$0]?.state == .active && expression.holds(for: $0, self) })
    }
}
