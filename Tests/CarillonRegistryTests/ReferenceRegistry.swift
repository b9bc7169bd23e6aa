import CarillonCore

/// The rules of Protocol 7 and 8 over dictionaries, as plainly as they can be said: what the real registry is compared to.
struct ReferenceRegistry {
    struct Grave: Equatable {
        var at: UInt64
        var written: UInt64
    }

    struct Sent: Equatable {
        var recipients: [RecipientOutcome]
        var acceptedAt: UInt64
        var finishedAt: UInt64
        var endedAtOnce: Int
    }

    struct Use: Equatable {
        var body: Message
        var answer: Acceptance
        var at: UInt64
    }

    var devices: [UInt64: Device] = [:]
    var graves: [DeviceAddress: Grave] = [:]
    var messages: [UInt64: Sent] = [:]
    var uses: [UUIDBytes: Use] = [:]
    var lastDevice: UInt64 = 0
    var lastMessage: UInt64 = 0

    static let tombstoneAge: UInt64 = 300
    static let keyAge: UInt64 = 100
    static let messageAge: UInt64 = 200

    func holder(of address: DeviceAddress) -> Device? { devices.values.first { $0.address == address } }

    mutating func apply(_ change: Change) -> ChangeAnswer {
        switch change {
        case .register(let registration, let now):
            register(registration, now.milliseconds)
        case .unregister(let reference, _, let at, let now):
            unregister(reference, at.milliseconds, now.milliseconds)
        case .accept(let message, let now):
            accept(message, now.milliseconds)
        case .record(let record, let now):
            self.record(record, now.milliseconds)
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
        if let grave = graves[new.address], grave.at >= seen { return .refused(.stale) }
        if [current, old].contains(where: { ($0?.seenAt.milliseconds ?? 0) > seen }) { return .refused(.stale) }
        var result = RegistrationResult.created
        if current != nil { result = .refreshed }
        if old != nil { result = .replaced }
        if old == nil && current == nil { lastDevice += 1 }
        let known = old ?? current
        if let old { graves[old.address] = Grave(at: seen, written: now) }
        if old != nil, let current { devices[current.id.rawValue] = nil }
        graves[new.address] = nil
        let id = known?.id ?? DeviceID(rawValue: lastDevice)
        devices[id.rawValue] = Device(
            id: id,
            address: new.address,
            registeredAt: Timestamp(milliseconds: now),
            seenAt: Timestamp(milliseconds: seen),
            state: .active,
            locale: new.locale.map { $0.isEmpty ? nil : $0 } ?? known?.locale,
            timeZone: new.timeZone.map { $0.isEmpty ? nil : $0 } ?? known?.timeZone
        )
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
                if graves[address].map({ $0.at < at }) ?? true { graves[address] = Grave(at: at, written: now) }
                return .unregistered(nil)
            }
        }
        guard let device, device.seenAt.milliseconds <= at else { return .refused(.stale) }
        devices[device.id.rawValue] = nil
        graves[device.address] = Grave(at: at, written: now)
        return .unregistered(device.id)
    }

    private mutating func accept(_ message: Message, _ now: UInt64) -> ChangeAnswer {
        if let use = uses[message.key], now - use.at <= Self.keyAge {
            if use.body != message { return .refused(.idempotencyConflict) }
            var answer = use.answer
            answer.isDuplicate = true
            return .accepted(answer, nil)
        }
        var strangers: Set<DeviceAddress> = []
        var ids: Set<UInt64> = []
        for reference in message.devices {
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
        var recipients = strangers.map { _ in RecipientOutcome(device: nil, outcome: .unregistered) }
        for id in ids.sorted() {
            var outcome = Outcome.unregistered
            if let device = devices[id] {
                outcome = device.address.kind == message.content.pushType.tokenKind ? .pending : .wrongKind
                if device.state == .quarantined { outcome = .quarantined }
            }
            recipients.append(RecipientOutcome(device: DeviceID(rawValue: id), outcome: outcome))
        }
        let pending = recipients.count { $0.outcome == .pending }
        lastMessage += 1
        messages[lastMessage] = Sent(
            recipients: recipients,
            acceptedAt: now,
            finishedAt: pending == 0 ? now : 0,
            endedAtOnce: recipients.count - pending
        )
        let id = MessageID(rawValue: lastMessage)
        let answer = Acceptance(
            id: id,
            isDuplicate: false,
            total: UInt32(recipients.count),
            ended: UInt32(recipients.count - pending)
        )
        if message.key != .zero { uses[message.key] = Use(body: message, answer: answer, at: now) }
        let entry = OutboxEntry(
            id: id,
            content: message.content,
            acceptedAt: time(now),
            notAfter: message.notAfter,
            lane: message.lane,
            pages: 1
        )
        return .accepted(answer, pending == 0 ? nil : entry)
    }

    private mutating func record(_ record: OutcomeRecord, _ now: UInt64) -> ChangeAnswer {
        guard var sent = messages[record.message.rawValue], record.page == 0, !sent.recipients.isEmpty,
            record.entries.allSatisfy({ Int($0.position) < sent.recipients.count })
        else { return .refused(.notFound) }
        for entry in record.entries {
            let position = Int(entry.position)
            if let death = entry.death, [.tokenUnregistered, .tokenExpired].contains(entry.outcome),
                let id = sent.recipients[position].device?.rawValue, let device = devices[id],
                death.registeredAt == device.registeredAt, death.since >= device.registeredAt
            {
                devices[id]?.state = .quarantined
            }
            if sent.recipients[position].outcome == .pending { sent.recipients[position].outcome = entry.outcome }
        }
        let finishes = sent.finishedAt == 0 && !sent.recipients.contains { $0.outcome == .pending }
        if finishes { sent.finishedAt = now }
        messages[record.message.rawValue] = sent
        return .recorded(isFinished: finishes)
    }

    mutating func sweep(_ now: UInt64) {
        graves = graves.filter { now - $0.value.written <= Self.tombstoneAge }
        uses = uses.filter { now - $0.value.at <= Self.keyAge }
        messages = messages.filter { $0.value.finishedAt == 0 || now - $0.value.finishedAt <= Self.messageAge }
    }
}
