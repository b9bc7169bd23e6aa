import CarillonCore

/// The rules of Protocol 7 and 8 over dictionaries, as plainly as they can be said: what the real registry is compared to.
struct ReferenceRegistry {
    struct Grave: Equatable {
        var at: UInt64
        var written: UInt64
    }

    struct Sent: Equatable {
        /// Of a live audience: those of its only page, once that is fixed.
        var recipients: [RecipientOutcome]
        var acceptedAt: UInt64
        var finishedAt: UInt64
        var endedAtOnce: Int
        /// By position in the page.
        var delays: [Int: OutcomeRecord.Delay] = [:]
        /// By position in the page: the newest attempts, the oldest first.
        var attempts: [Int: [DeliveryAttempt]] = [:]
        var live: Live?
        var content: MessageContent
        var notAfter: Timestamp?
        var lane = Lane.interactive
        var standing = MessageState.waiting
        var isCancelled = false
        /// 0 if it was not scheduled.
        var sendAt: UInt64 = 0
        /// 0 while it waits for its time.
        var startedAt: UInt64 = 0
        var pace: UInt32?
        var receipts: [ReceiptKind: Set<UInt64>] = [:]

        var state: MessageState {
            if finishedAt > 0 { return .finished }
            if standing != .waiting { return standing }
            return recipients.count { $0.outcome != .pending } == endedAtOnce ? .waiting : .sending
        }
    }

    struct Resend: Hashable {
        var message: MessageID
        var outcomes: Set<Outcome>
        var notAfter: Timestamp?
    }

    /// An audience that is taken while it is sent.
    struct Live: Equatable {
        var audience: Audience
        var except: Set<UInt64>
        var bound: UInt64
        var expected: Int
    }

    /// What a device itself holds.
    struct Held: Equatable {
        var groups: Set<String> = []
        var topics: Set<String> = []
        var isMuted = false
    }

    struct Use: Equatable {
        var body: AnyHashable
        var answer: Acceptance
        var at: UInt64
    }

    var devices: [UInt64: Device] = [:]
    var held: [UInt64: Held] = [:]
    var groupTopics: [String: Set<String>] = [:]
    var mutedGroups: Set<String> = []
    var graves: [DeviceAddress: Grave] = [:]
    var messages: [UInt64: Sent] = [:]
    var uses: [UUIDBytes: Use] = [:]
    var quarantinedSince: [UInt64: UInt64] = [:]
    var lastDevice: UInt64 = 0
    var lastMessage: UInt64 = 0

    static let tombstoneAge: UInt64 = 300
    static let keyAge: UInt64 = 100
    static let messageAge: UInt64 = 200
    static let quarantineAge: UInt64 = 150

    func holder(of address: DeviceAddress) -> Device? { devices.values.first { $0.address == address } }

    mutating func apply(_ change: Change) -> ChangeAnswer {
        switch change {
        case .register(let registration, let now):
            register(registration, now.milliseconds)
        case .unregister(let reference, _, let at, let now):
            unregister(reference, at.milliseconds, now.milliseconds)
        case .update(let reference, _, let update):
            self.update(reference, update)
        case .join(let join, let now):
            self.join(join, now.milliseconds)
        case .leave(let leave):
            self.leave(leave)
        case .subscribe(let subscription):
            subscribe(subscription)
        case .unsubscribe(let subscription):
            unsubscribe(subscription)
        case .mute(let group, _, let isMuted):
            mute(group.name, isMuted)
        case .accept(let message, let now):
            accept(message, now.milliseconds)
        case .record(let record, let now):
            self.record(record, now.milliseconds)
        case .finish(let message, let now):
            finish(message, now.milliseconds)
        case .updateMessage(let message, _, let messageUpdate, let now):
            updateMessage(message.rawValue, messageUpdate, now.milliseconds)
        case .resend(let message, _, let key, let outcomes, let notAfter, let now):
            resend(message, key, outcomes, notAfter, now.milliseconds)
        case .release(let now):
            release(now.milliseconds)
        case .count(let receipts, _, _):
            count(receipts)
        case .restore(let reference, _, _):
            restore(reference)
        case .note, .acknowledge:
            .noted
        }
    }

    private func clamp(_ given: UInt64, _ now: UInt64) -> UInt64 { given == 0 || given > now ? now : given }

    private mutating func register(_ new: Registration, _ now: UInt64) -> ChangeAnswer {
        let seen = clamp(new.seenAt.milliseconds, now)
        let current = holder(of: new.address)
        let oldAddress = new.replaces.map {
            DeviceAddress(environment: new.address.environment, kind: new.address.kind, token: $0)
        }
        let old = oldAddress == new.address ? nil : oldAddress.flatMap { holder(of: $0) }
        if let grave = graves[new.address], grave.at > now ? seen < now : grave.at >= seen { return .refused(.stale) }
        let stored = [current, old].map { min($0?.seenAt.milliseconds ?? 0, now) }
        if stored.contains(where: { $0 > seen }) { return .refused(.stale) }
        var result = RegistrationResult.created
        if current != nil { result = .refreshed }
        if old != nil { result = .replaced }
        if old == nil && current == nil { lastDevice += 1 }
        let known = old ?? current
        if let old { graves[old.address] = Grave(at: seen, written: now) }
        if old != nil, let current { remove(current.id.rawValue) }
        graves[new.address] = nil
        let id = known?.id ?? DeviceID(rawValue: lastDevice)
        let death = old == nil ? quarantinedSince[id.rawValue] : nil
        let staysDead = death.map { seen < now && seen <= $0 } ?? false
        devices[id.rawValue] = Device(
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
        held[id.rawValue, default: Held()].topics.formUnion(new.topics.map(\.name))
        held[id.rawValue, default: Held()].groups.formUnion(new.groups.map(\.name))
        return .registered(id, result, ended: old == nil ? nil : current?.id)
    }

    private mutating func unregister(_ reference: DeviceReference, _ at: UInt64, _ now: UInt64) -> ChangeAnswer {
        let at = clamp(at, now)
        let device: Device?
        switch reference {
        case .id(let id):
            device = devices[id.rawValue]
            if device == nil { return .refused(.notFound) }
        case .address(let address):
            device = holder(of: address)
            if device == nil {
                if graves[address].map({ $0.at < at || $0.at > now }) ?? true {
                    graves[address] = Grave(at: at, written: now)
                }
                return .unregistered(nil)
            }
        }
        guard let device, min(device.seenAt.milliseconds, now) <= at else { return .refused(.stale) }
        remove(device.id.rawValue)
        graves[device.address] = Grave(at: at, written: now)
        return .unregistered(device.id)
    }

    private mutating func remove(_ id: UInt64) {
        devices[id] = nil
        held[id] = nil
        quarantinedSince[id] = nil
    }

    private func merged(_ changes: [AttributeChange], into stored: Attributes?) -> Attributes {
        var attributes = stored ?? Attributes()
        // Why: the changes of the tests are never too many.
        try? attributes.merge(changes)
        return attributes
    }

    // MARK: Groups and topics

    func device(_ reference: DeviceReference) -> Device? {
        switch reference {
        case .id(let id): devices[id.rawValue]
        case .address(let address): holder(of: address)
        }
    }

    private mutating func update(_ reference: DeviceReference, _ update: DeviceUpdate) -> ChangeAnswer {
        guard var device = device(reference) else { return .refused(.notFound) }
        if let locale = update.locale { device.locale = locale.isEmpty ? nil : locale }
        if let timeZone = update.timeZone { device.timeZone = timeZone.isEmpty ? nil : timeZone }
        device.attributes = merged(update.attributes, into: device.attributes)
        devices[device.id.rawValue] = device
        if let isMuted = update.isMuted { held[device.id.rawValue, default: Held()].isMuted = isMuted }
        return .updated(device.id)
    }

    /// The registered devices of a list, each once, and an answer that tells the others.
    private func known(_ references: [DeviceReference]) -> ([UInt64], MembershipAnswer) {
        var answer = MembershipAnswer()
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

    private mutating func join(_ join: Join, _ now: UInt64) -> ChangeAnswer {
        var (ids, answer) = known(join.devices)
        var entered: Set<UInt64> = []
        var affected: Set<UInt64> = []
        for id in ids {
            if let leaving = join.leaving, leaving != join.group,
                held[id, default: Held()].groups.remove(leaving.name) != nil
            {
                answer.left += 1
                affected.insert(id)
            }
            if held[id, default: Held()].groups.insert(join.group.name).inserted { entered.insert(id) }
        }
        affected.formUnion(entered)
        answer.changed = UInt32(entered.count)
        answer.affected = .devices(affected.sorted().map { DeviceID(rawValue: $0) })
        if let content = join.announcement, !entered.isEmpty {
            let message = Message(content: content, audience: .groups([join.group]))
            if case .accepted(let acceptance, let entry) = accept(message, now, except: entered) {
                answer.announcement = MembershipAnswer.Announcement(id: acceptance.id, entry: entry)
            }
        }
        return .membership(answer)
    }

    private mutating func leave(_ leave: Leave) -> ChangeAnswer {
        var (ids, answer) = known(leave.devices)
        var affected: Set<UInt64> = []
        for id in ids {
            if held[id, default: Held()].groups.remove(leave.group.name) != nil {
                answer.changed += 1
                affected.insert(id)
            }
            if leave.clearsTopics, held[id]?.topics.isEmpty == false {
                held[id]?.topics = []
                affected.insert(id)
            }
        }
        answer.affected = .devices(affected.sorted().map { DeviceID(rawValue: $0) })
        return .membership(answer)
    }

    private mutating func subscribe(_ subscription: Subscription) -> ChangeAnswer {
        change(subscription) { held, topic in held.insert(topic).inserted }
    }

    private mutating func unsubscribe(_ subscription: Subscription) -> ChangeAnswer {
        change(subscription) { held, topic in held.remove(topic) != nil }
    }

    private mutating func change(
        _ subscription: Subscription, _ body: (inout Set<String>, String) -> Bool
    ) -> ChangeAnswer {
        var (ids, answer) = known(subscription.devices)
        var affected: Set<UInt64> = []
        for topic in Set(subscription.topics.map(\.name)) {
            for id in ids where body(&held[id, default: Held()].topics, topic) {
                answer.changed += 1
                affected.insert(id)
            }
            for group in Set(subscription.groups.map(\.name)) where body(&groupTopics[group, default: []], topic) {
                answer.changed += 1
                affected.formUnion(members { $0.groups.contains(group) })
            }
        }
        answer.affected = .devices(affected.sorted().map { DeviceID(rawValue: $0) })
        return .membership(answer)
    }

    private mutating func mute(_ group: String, _ isMuted: Bool?) -> ChangeAnswer {
        let wasMuted = mutedGroups.contains(group)
        if let isMuted { if isMuted { mutedGroups.insert(group) } else { mutedGroups.remove(group) } }
        let devices = members { $0.groups.contains(group) }.count
        return .muted(devices: UInt64(devices), hasChanged: isMuted.map { $0 != wasMuted } ?? false)
    }

    /// Active devices for which `isIn` is true of what they hold, ascending.
    func members(_ isIn: (Held) -> Bool) -> [UInt64] {
        devices.values.filter { $0.state == .active && isIn(held[$0.id.rawValue] ?? Held()) }.map(\.id.rawValue)
            .sorted()
    }

    /// Whether an active device is in a set.
    func isIn(_ id: UInt64, _ set: SetName) -> Bool {
        guard let device = devices[id], device.state == .active else { return false }
        let held = held[id] ?? Held()
        switch set {
        case .all: return true
        case .group(let group): return held.groups.contains(group.name)
        case .topic(let topic):
            return held.topics.contains(topic.name)
                || held.groups.contains { groupTopics[$0]?.contains(topic.name) ?? false }
        case .attribute(let key, let value):
            switch key.name {
            case "environment": return device.address.environment.name == value.text
            case "kind": return device.address.kind.name == value.text
            case "locale":
                let locale = device.locale?.lowercased() ?? ""
                return locale == value.text || locale.hasPrefix(value.text + "-")
            default: return device.attributes[key] == value
            }
        }
    }

    func isMuted(_ id: UInt64) -> Bool {
        let held = held[id] ?? Held()
        return held.isMuted || !held.groups.isDisjoint(with: mutedGroups)
    }

    /// Those whom an audience holds now.
    func audience(_ audience: Audience) -> Set<UInt64> {
        guard let condition = audience.condition else { return [] }
        let expression = Expression(condition)
        return Set(devices.keys.filter { devices[$0]?.state == .active && expression.holds(for: $0, self) })
    }

    // MARK: Messages

    private mutating func accept(_ message: Message, _ now: UInt64, except: Set<UInt64> = []) -> ChangeAnswer {
        if message.isDryRun {
            let sent = addressed(message, now, except: except)
            let ended = sent.live == nil ? sent.endedAtOnce : 0
            let acceptance = Acceptance(
                id: MessageID(rawValue: 0), isDuplicate: false,
                total: UInt32(sent.live?.expected ?? sent.recipients.count), ended: UInt32(ended))
            return .accepted(acceptance, nil)
        }
        if let use = uses[message.key], now - use.at <= Self.keyAge {
            if use.body != AnyHashable(message) { return .refused(.idempotencyConflict) }
            var answer = use.answer
            answer.isDuplicate = true
            return .accepted(answer, nil)
        }
        var sent = addressed(message, now, except: except)
        let isPending =
            sent.live.map { $0.expected > 0 || sent.standing == .scheduled }
            ?? (sent.endedAtOnce < sent.recipients.count)
        if !isPending { finish(&sent, now) }
        lastMessage += 1
        messages[lastMessage] = sent
        let id = MessageID(rawValue: lastMessage)
        let answer = Acceptance(
            id: id,
            isDuplicate: false,
            total: UInt32(sent.live?.expected ?? sent.recipients.count),
            ended: UInt32(sent.endedAtOnce)
        )
        if message.key != .zero { uses[message.key] = Use(body: message, answer: answer, at: now) }
        return .accepted(answer, isPending && sent.standing == .waiting ? entry(lastMessage) : nil)
    }

    private func entry(_ id: UInt64) -> OutboxEntry? {
        messages[id].map { sent in
            OutboxEntry(
                id: MessageID(rawValue: id),
                content: sent.content,
                acceptedAt: time(sent.startedAt),
                notAfter: sent.notAfter,
                lane: sent.lane,
                isLive: sent.live != nil,
                pace: sent.pace,
                isCancelled: sent.isCancelled
            )
        }
    }

    private func finish(_ sent: inout Sent, _ now: UInt64) {
        sent.finishedAt = now
        sent.standing = .waiting
    }

    // MARK: MessageUpdate

    private mutating func updateMessage(_ id: UInt64, _ messageUpdate: MessageUpdate, _ now: UInt64) -> ChangeAnswer {
        guard var sent = messages[id] else { return .refused(.notFound) }
        if sent.finishedAt > 0 { return .messageUpdated(.finished, nil) }
        var isTaken = false
        switch messageUpdate {
        case .cancel where !sent.isCancelled:
            sent.isCancelled = true
            isTaken = takeUp(&sent, now)
        case .pause where !sent.isCancelled:
            sent.standing = .paused
        case .resume where sent.standing == .paused && sent.startedAt == 0 && sent.sendAt > now:
            sent.standing = .scheduled
        case .resume where sent.standing != .waiting:
            isTaken = takeUp(&sent, now)
        case .pace(let pace):
            sent.pace = pace
        default: break
        }
        messages[id] = sent
        return .messageUpdated(sent.state, isTaken ? entry(id) : nil)
    }

    /// Whether it is to be sent.
    private func takeUp(_ sent: inout Sent, _ now: UInt64) -> Bool {
        sent.standing = .waiting
        guard sent.startedAt == 0 else { return true }
        sent.startedAt = now
        guard let live = sent.live else { return true }
        let expected = audience(live.audience).subtracting(live.except).count
        sent.live?.bound = lastDevice + 1
        sent.live?.expected = expected
        if expected == 0 { finish(&sent, now) }
        return expected > 0
    }

    private mutating func release(_ now: UInt64) -> ChangeAnswer {
        func scheduled() -> [(UInt64, UInt64)] {
            messages.filter { $0.value.standing == .scheduled }.map { ($0.value.sendAt, $0.key) }.sorted { $0 < $1 }
        }
        var entries: [OutboxEntry] = []
        for (due, id) in scheduled() where due <= now {
            guard var sent = messages[id] else { continue }
            let isTaken = takeUp(&sent, now)
            messages[id] = sent
            if isTaken, let entry = entry(id) { entries.append(entry) }
        }
        return .released(entries, next: scheduled().first.map { time($0.0) })
    }

    private mutating func resend(
        _ message: MessageID, _ key: UUIDBytes, _ outcomes: Set<Outcome>, _ notAfter: Timestamp?, _ now: UInt64
    ) -> ChangeAnswer {
        let body = AnyHashable(Resend(message: message, outcomes: outcomes, notAfter: notAfter))
        if let use = uses[key], now - use.at <= Self.keyAge {
            if use.body != body { return .refused(.idempotencyConflict) }
            var answer = use.answer
            answer.isDuplicate = true
            return .accepted(answer, nil)
        }
        guard let old = messages[message.rawValue] else { return .refused(.notFound) }
        guard old.finishedAt > 0 else { return .refused(.unfinished) }
        let notAfter = notAfter ?? old.notAfter
        if let notAfter, notAfter.milliseconds < now { return .refused(.outOfTime) }
        let unusual: Set<Outcome> = [
            .delivered, .unregistered, .quarantined, .tokenUnregistered, .tokenExpired, .left,
        ]
        let chosen = old.recipients.filter {
            $0.device != nil && (outcomes.isEmpty ? !unusual.contains($0.outcome) : outcomes.contains($0.outcome))
        }
        var sent = Sent(
            recipients: chosen.map { RecipientOutcome(device: $0.device, outcome: .pending) }, acceptedAt: now,
            finishedAt: 0, endedAtOnce: 0, content: old.content, notAfter: notAfter, lane: old.lane, startedAt: now,
            pace: old.pace)
        if chosen.isEmpty { finish(&sent, now) }
        lastMessage += 1
        messages[lastMessage] = sent
        let answer = Acceptance(
            id: MessageID(rawValue: lastMessage), isDuplicate: false, total: UInt32(chosen.count), ended: 0)
        if key != .zero { uses[key] = Use(body: body, answer: answer, at: now) }
        return .accepted(answer, chosen.isEmpty ? nil : entry(lastMessage))
    }

    // MARK: Receipts and quarantine

    private mutating func count(_ receipts: [Receipt]) -> ChangeAnswer {
        var counted: UInt32 = 0
        var unknown: [UInt32] = []
        for (index, receipt) in receipts.enumerated() {
            var id: DeviceID?
            switch receipt.device {
            case .id(let given): id = given
            case .address(let address): id = holder(of: address)?.id
            }
            guard let id, messages[receipt.message.rawValue]?.recipients.contains(where: { $0.device == id }) == true
            else {
                unknown.append(UInt32(index))
                continue
            }
            let isNew = messages[receipt.message.rawValue]?.receipts[receipt.kind, default: []].insert(id.rawValue)
            if isNew?.inserted == true { counted += 1 }
        }
        return .counted(counted, unknown: unknown)
    }

    private mutating func restore(_ reference: DeviceReference) -> ChangeAnswer {
        guard let device = device(reference) else { return .refused(.notFound) }
        devices[device.id.rawValue]?.state = .active
        quarantinedSince[device.id.rawValue] = nil
        return .updated(device.id)
    }

    private func addressed(_ message: Message, _ now: UInt64, except: Set<UInt64>) -> Sent {
        var sent = Sent(
            recipients: [], acceptedAt: now, finishedAt: 0, endedAtOnce: 0, content: message.content,
            notAfter: message.notAfter, lane: message.lane, startedAt: now, pace: message.pace)
        if let sendAt = message.sendAt, sendAt.milliseconds > now, !message.isDryRun {
            sent.sendAt = sendAt.milliseconds
            sent.standing = .scheduled
            sent.startedAt = 0
        }
        guard case .devices(let references) = message.audience else {
            let left = except.union(message.except.flatMap { device($0)?.id.rawValue }.map { [$0] } ?? [])
            sent.live = Live(
                audience: message.audience, except: left, bound: lastDevice + 1,
                expected: audience(message.audience).subtracting(left).count)
            return sent
        }
        var strangers: Set<DeviceAddress> = []
        var ids: Set<UInt64> = []
        for reference in references where reference != message.except {
            switch reference {
            case .id(let id): ids.insert(id.rawValue)
            case .address(let address):
                if let device = holder(of: address) {
                    ids.insert(device.id.rawValue)
                } else {
                    strangers.insert(address)
                }
            }
        }
        if let except = message.except.flatMap({ device($0) }) { ids.remove(except.id.rawValue) }
        var recipients = strangers.map { _ in RecipientOutcome(device: nil, outcome: .unregistered) }
        for id in ids.sorted() {
            var outcome = Outcome.unregistered
            if let device = devices[id] {
                outcome = device.address.kind == message.content.pushType.tokenKind ? .pending : .wrongKind
                if device.state == .quarantined { outcome = .quarantined }
            }
            // What becomes of it is decided when its time has come.
            if sent.standing == .scheduled { outcome = .pending }
            recipients.append(RecipientOutcome(device: DeviceID(rawValue: id), outcome: outcome))
        }
        sent.endedAtOnce = recipients.count { $0.outcome != .pending }
        sent.recipients = recipients
        return sent
    }

    private mutating func record(_ record: OutcomeRecord, _ now: UInt64) -> ChangeAnswer {
        guard var sent = messages[record.message.rawValue], record.page == 0, sent.standing != .scheduled
        else { return .refused(.notFound) }
        if let live = sent.live, sent.recipients.isEmpty {
            let ids = record.addressed?.bits.map { UInt64($0) } ?? []
            guard sent.finishedAt == 0, !ids.isEmpty, live.except.isDisjoint(with: ids),
                ids.allSatisfy({ $0 < live.bound })
            else { return .refused(.notFound) }
            sent.recipients = ids.map { RecipientOutcome(device: DeviceID(rawValue: $0), outcome: .pending) }
        }
        func index(_ position: UInt16) -> Int? {
            if sent.live == nil { return Int(position) < sent.recipients.count ? Int(position) : nil }
            return sent.recipients.firstIndex { $0.device?.rawValue == UInt64(position) }
        }
        let positions =
            record.entries.map(\.position) + record.delays.map(\.position) + record.attempts.map(\.position)
        guard !sent.recipients.isEmpty, positions.allSatisfy({ index($0) != nil }) else { return .refused(.notFound) }
        for entry in record.entries {
            guard let place = index(entry.position) else { continue }
            if let death = entry.death, let id = sent.recipients[place].device?.rawValue, let device = devices[id],
                death.registeredAt == device.registeredAt, death.since >= device.registeredAt,
                device.state == .active
            {
                devices[id]?.state = .quarantined
                quarantinedSince[id] = now
            }
            guard sent.recipients[place].outcome == .pending else { continue }
            sent.recipients[place].outcome = entry.outcome
            sent.delays[Int(entry.position)] = nil
        }
        for delay in record.delays {
            guard let place = index(delay.position), sent.recipients[place].outcome == .pending else { continue }
            sent.delays[Int(delay.position)] = delay
        }
        for recorded in record.attempts {
            let known = sent.attempts[Int(recorded.position), default: []]
            sent.attempts[Int(recorded.position)] = (known + [recorded.attempt]).suffix(MessageTrace.attemptLimit)
        }
        let finishes =
            sent.live == nil && sent.finishedAt == 0 && !sent.recipients.contains { $0.outcome == .pending }
        if finishes { finish(&sent, now) }
        messages[record.message.rawValue] = sent
        return .recorded(isFinished: finishes)
    }

    private mutating func finish(_ message: MessageID, _ now: UInt64) -> ChangeAnswer {
        guard var sent = messages[message.rawValue] else { return .refused(.notFound) }
        let isDone =
            sent.live != nil && sent.standing != .scheduled && !sent.recipients.contains { $0.outcome == .pending }
        if sent.finishedAt == 0 && isDone { finish(&sent, now) }
        messages[message.rawValue] = sent
        return .finished(sent.finishedAt != 0)
    }

    mutating func sweep(_ now: UInt64) {
        graves = graves.filter { $0.value.written + Self.tombstoneAge >= now }
        for (id, since) in quarantinedSince where now - since > Self.quarantineAge {
            guard let device = devices[id] else { continue }
            remove(id)
            graves[device.address] = Grave(at: now, written: now)
        }
        uses = uses.filter { now - $0.value.at <= Self.keyAge }
        messages = messages.filter { $0.value.finishedAt == 0 || now - $0.value.finishedAt <= Self.messageAge }
    }
}

/// A condition that says of one device at a time whether it holds: parsed from the canonical form, which is enough for it.
struct Expression {
    private let text: [Substring]

    init(_ condition: Condition) {
        // Every mark a word of its own.
        var spaced = condition.description
        for mark in ["(", ")", "!"] {
            spaced = spaced.split(separator: mark, omittingEmptySubsequences: false).joined(separator: " \(mark) ")
        }
        text = spaced.replacing("! =", with: "!=").split(separator: " ")
    }

    func holds(for id: UInt64, _ registry: ReferenceRegistry) -> Bool {
        var rest = text[...]
        return disjunction(&rest, id, registry)
    }

    private func disjunction(_ rest: inout ArraySlice<Substring>, _ id: UInt64, _ registry: ReferenceRegistry) -> Bool {
        var holds = conjunction(&rest, id, registry)
        while rest.first == "||" {
            rest.removeFirst()
            let right = conjunction(&rest, id, registry)
            holds = holds || right
        }
        return holds
    }

    private func conjunction(_ rest: inout ArraySlice<Substring>, _ id: UInt64, _ registry: ReferenceRegistry) -> Bool {
        var holds = operand(&rest, id, registry)
        while rest.first == "&&" {
            rest.removeFirst()
            let right = operand(&rest, id, registry)
            holds = holds && right
        }
        return holds
    }

    private func operand(_ rest: inout ArraySlice<Substring>, _ id: UInt64, _ registry: ReferenceRegistry) -> Bool {
        let word = rest.removeFirst()
        switch word {
        case "!":
            return !operand(&rest, id, registry)
        case "(":
            defer { rest.removeFirst() }
            return disjunction(&rest, id, registry)
        case "all":
            return registry.isIn(id, .all)
        default:
            let second = rest.removeFirst()
            let third = rest.removeFirst()
            let name = String(word.trimming(while: { $0 == "'" }))
            let value = String(third.trimming(while: { $0 == "'" }))
            switch (second, third) {
            case ("in", "topics"): return registry.isIn(id, .topic(topic(name)))
            case ("in", _): return registry.isIn(id, .group(group(name)))
            default:
                let set = SetName.attribute(AttributeKey(name)!, AttributeValue(value)!)
                return registry.isIn(id, set) == (second == "==")
            }
        }
    }
}

extension Substring {
    fileprivate func trimming(while isOut: (Character) -> Bool) -> Substring {
        var text = drop(while: isOut)
        while let last = text.last, isOut(last) { text.removeLast() }
        return text
    }
}
