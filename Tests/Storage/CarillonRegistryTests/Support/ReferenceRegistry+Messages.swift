import CarillonCore
import CarillonRegistryTestKit

/// Messages, receipts, quarantine and retention of the reference model.
extension ReferenceRegistry {
    /// Accepts a message, with one page however many recipients it has. A dry run is answered and changes nothing.
    mutating func accept(
        _ message: Message, sender: String?, now: UInt64, excluding others: Set<UInt64> = []
    ) -> ChangeAnswer {
        if message.isDryRun {
            let sent = addressed(message, now: now, excluding: others)
            let ended = sent.live == nil ? sent.endedAtAcceptance : 0
            let acceptance = SendResult(
                id: messageID(0), isDuplicate: false,
                total: UInt32(sent.live?.expected ?? sent.recipients.count), ended: UInt32(ended))
            return .accepted(acceptance, outbound: nil)
        }
        if let key = message.idempotencyKey, let use = keyUses[key], now - use.at <= Self.keyMilliseconds {
            if use.body != AnyHashable(message) { return .refused(.idempotencyConflict) }
            var answer = use.answer
            answer.isDuplicate = true
            return .accepted(answer, outbound: nil)
        }
        var sent = addressed(message, now: now, excluding: others)
        sent.metadata.sender = sender
        let isPending =
            sent.live.map { $0.expected > 0 || sent.waitingState == .scheduled }
            ?? (sent.endedAtAcceptance < sent.recipients.count)
        if !isPending { finish(&sent, now: now) }
        lastMessage += 1
        messages[lastMessage] = sent
        let id = messageID(lastMessage)
        let answer = SendResult(
            id: id,
            isDuplicate: false,
            total: UInt32(sent.live?.expected ?? sent.recipients.count),
            ended: UInt32(sent.endedAtAcceptance)
        )
        if let key = message.idempotencyKey { keyUses[key] = KeyUse(body: message, answer: answer, at: now) }
        let isToBeSent = isPending && sent.waitingState == .waiting
        return .accepted(answer, outbound: isToBeSent ? outboundMessage(lastMessage) : nil)
    }

    /// Returns a message as the delivery engine gets it.
    func outboundMessage(_ id: UInt64) -> OutboundMessage? {
        messages[id].map { sent in
            OutboundMessage(
                id: messageID(id),
                content: sent.content,
                sendableSince: timestamp(sent.sendableSince),
                notAfter: sent.notAfter,
                lane: sent.lane,
                isLive: sent.live != nil,
                pace: sent.pace,
                isCancelled: sent.isCancelled,
                channel: sent.channel
            )
        }
    }

    /// Finishes a message whose recipients all have outcomes.
    func finish(_ sent: inout Sent, now: UInt64) {
        sent.finishedAt = now
        sent.waitingState = .waiting
    }

    // MARK: Updates, the schedule and resends

    mutating func updateMessage(_ id: UInt64, messageUpdate: MessageUpdate, now: UInt64) -> ChangeAnswer {
        guard var sent = messages[id] else { return .refused(.notFound) }
        if sent.finishedAt > 0 { return .messageUpdated(.finished, outbound: nil) }
        var isToBeSent = false
        switch messageUpdate {
        case .cancel where !sent.isCancelled:
            sent.isCancelled = true
            isToBeSent = moveIntoOutbox(&sent, now: now)
        case .pause where !sent.isCancelled:
            sent.waitingState = .paused
        case .resume where sent.waitingState == .paused && sent.sendableSince == 0 && sent.sendAt > now:
            sent.waitingState = .scheduled
        case .resume where sent.waitingState != .waiting:
            isToBeSent = moveIntoOutbox(&sent, now: now)
        case .pace(let pace):
            sent.pace = pace
        default: break
        }
        messages[id] = sent
        return .messageUpdated(sent.state, outbound: isToBeSent ? outboundMessage(id) : nil)
    }

    /// Moves a message into the outbox, out of the schedule or a pause; returns true if it can be sent.
    func moveIntoOutbox(_ sent: inout Sent, now: UInt64) -> Bool {
        sent.waitingState = .waiting
        guard sent.sendableSince == 0 else { return true }
        sent.sendableSince = now
        guard let live = sent.live else { return true }
        let expected = audience(live.audience).subtracting(live.excluded).count
        sent.live?.bound = lastDevice + 1
        sent.live?.expected = expected
        if expected == 0 { finish(&sent, now: now) }
        return expected > 0
    }

    /// Puts the scheduled messages whose time has come into the outbox, in the order of their times and ids.
    mutating func release(_ now: UInt64) -> ChangeAnswer {
        func scheduled() -> [(UInt64, UInt64)] {
            messages.filter { $0.value.waitingState == .scheduled }.map { ($0.value.sendAt, $0.key) }.sorted { $0 < $1 }
        }
        var released: [OutboundMessage] = []
        for (due, id) in scheduled() where due <= now {
            guard var sent = messages[id] else { continue }
            let isToBeSent = moveIntoOutbox(&sent, now: now)
            messages[id] = sent
            if isToBeSent, let message = outboundMessage(id) { released.append(message) }
        }
        return .released(released, next: scheduled().first.map { timestamp($0.0) })
    }

    /// Sends a finished message again. Without chosen outcomes it goes to the devices that were not reached and still
    /// can be.
    mutating func resend(
        _ message: MessageID, key: UUIDBytes?, outcomes: Set<Outcome>, notAfter: Timestamp?, sender: String?,
        now: UInt64
    ) -> ChangeAnswer {
        let body = AnyHashable(Resend(message: message, outcomes: outcomes, notAfter: notAfter))
        if let key, let use = keyUses[key], now - use.at <= Self.keyMilliseconds {
            if use.body != body { return .refused(.idempotencyConflict) }
            var answer = use.answer
            answer.isDuplicate = true
            return .accepted(answer, outbound: nil)
        }
        guard let old = messages[message.rawValue] else { return .refused(.notFound) }
        guard old.finishedAt > 0 else { return .refused(.unfinished) }
        let notAfter = notAfter ?? old.notAfter
        if let notAfter, notAfter.milliseconds < now { return .refused(.outOfTime) }
        let notResentByDefault: Set<Outcome> = [
            .delivered, .unregistered, .quarantined, .tokenUnregistered, .tokenExpired, .left,
        ]
        let chosen = old.recipients.filter {
            $0.device != nil
                && (outcomes.isEmpty ? !notResentByDefault.contains($0.outcome) : outcomes.contains($0.outcome))
        }
        var sent = Sent(
            recipients: chosen.map { RecipientOutcome(device: $0.device, outcome: .pending) }, acceptedAt: now,
            finishedAt: 0, endedAtAcceptance: 0, content: old.content,
            metadata: MessageMetadata(sender: sender, label: old.metadata.label), notAfter: notAfter, lane: old.lane,
            sendableSince: now, pace: old.pace)
        if chosen.isEmpty { finish(&sent, now: now) }
        lastMessage += 1
        messages[lastMessage] = sent
        let answer = SendResult(
            id: messageID(lastMessage), isDuplicate: false, total: UInt32(chosen.count), ended: 0)
        if let key { keyUses[key] = KeyUse(body: body, answer: answer, at: now) }
        return .accepted(answer, outbound: chosen.isEmpty ? nil : outboundMessage(lastMessage))
    }

    // MARK: Listings

    /// Returns the messages that a filter admits, the newest first.
    func listed(_ filter: MessageFilter) -> [MessageSummary] {
        messages.sorted { $0.key > $1.key }.compactMap { id, sent in
            guard filter.state == nil || filter.state == sent.state,
                filter.sender == nil || filter.sender == sent.metadata.sender,
                filter.labelPrefix.map({ sent.metadata.label?.hasPrefix($0) ?? false }) ?? true
            else { return nil }
            let ended = sent.recipients.count { $0.outcome != .pending }
            let delivered = sent.recipients.count { $0.outcome == .delivered }
            return MessageSummary(
                id: messageID(id), state: sent.state, acceptedAt: timestamp(sent.acceptedAt),
                pushType: sent.content.pushType, lane: sent.lane, total: UInt64(sent.total), ended: UInt64(ended),
                delivered: UInt64(delivered), failed: UInt64(ended - delivered), label: sent.metadata.label,
                sender: sent.metadata.sender)
        }
    }

    // MARK: Receipts and quarantine

    /// Counts receipts: one of each kind for each recipient of a message.
    mutating func countReceipts(_ receipts: [Receipt]) -> ChangeAnswer {
        var counted: UInt32 = 0
        var unknown: [UInt32] = []
        for (index, receipt) in receipts.enumerated() {
            var id: DeviceID?
            switch receipt.device {
            case .id(let device): id = device
            case .address(let address): id = self.device(at: address)?.id
            }
            guard let id, messages[receipt.message.rawValue]?.recipients.contains(where: { $0.device == id }) == true
            else {
                unknown.append(UInt32(index))
                continue
            }
            let isNew = messages[receipt.message.rawValue]?.receipts[receipt.kind, default: []].insert(id.rawValue)
            if isNew?.inserted == true { counted += 1 }
        }
        return .receiptsCounted(counted, unknown: unknown)
    }

    mutating func restore(_ reference: DeviceReference) -> ChangeAnswer {
        guard let device = device(reference) else { return .refused(.notFound) }
        devices[device.id.rawValue]?.state = .active
        quarantinedSince[device.id.rawValue] = nil
        return .updated(device.id)
    }

    /// Returns a message that is being accepted, with the recipients of its list, or with its live audience.
    ///
    /// - Parameter others: devices that are left out of a live audience, beside the excluded device of the message.
    func addressed(_ message: Message, now: UInt64, excluding others: Set<UInt64>) -> Sent {
        var sent = Sent(
            recipients: [], acceptedAt: now, finishedAt: 0, endedAtAcceptance: 0, content: message.content,
            metadata: MessageMetadata(label: message.label), notAfter: message.notAfter, lane: message.lane,
            sendableSince: now, pace: message.pace)
        if let sendAt = message.sendAt, sendAt.milliseconds > now, !message.isDryRun {
            sent.sendAt = sendAt.milliseconds
            sent.waitingState = .scheduled
            sent.sendableSince = 0
        }
        if case .channel(let channel) = message.audience {
            sent.channel = channel
            sent.recipients = [RecipientOutcome(device: nil, outcome: .pending)]
            return sent
        }
        guard case .devices(let references) = message.audience else {
            let left = others.union(message.excludedDevice.flatMap { device($0)?.id.rawValue }.map { [$0] } ?? [])
            sent.live = Live(
                audience: message.audience, excluded: left, bound: lastDevice + 1,
                expected: audience(message.audience).subtracting(left).count)
            return sent
        }
        var unregistered: Set<DeviceAddress> = []
        var ids: Set<UInt64> = []
        for reference in references where reference != message.excludedDevice {
            switch reference {
            case .id(let id): ids.insert(id.rawValue)
            case .address(let address):
                if let device = self.device(at: address) {
                    ids.insert(device.id.rawValue)
                } else {
                    unregistered.insert(address)
                }
            }
        }
        if let excluded = message.excludedDevice.flatMap({ device($0) }) { ids.remove(excluded.id.rawValue) }
        var recipients = unregistered.map { _ in RecipientOutcome(device: nil, outcome: .unregistered) }
        for id in ids.sorted() {
            var outcome = Outcome.unregistered
            if let device = devices[id] {
                outcome = message.content.pushType.reaches(device.address.kind) ? .pending : .wrongKind
                if device.state == .quarantined { outcome = .quarantined }
            }
            // The outcome of a scheduled message is decided when its time has come.
            if sent.waitingState == .scheduled { outcome = .pending }
            recipients.append(RecipientOutcome(device: deviceID(id), outcome: outcome))
        }
        sent.endedAtAcceptance = recipients.count { $0.outcome != .pending }
        sent.recipients = recipients
        return sent
    }

    /// Records outcomes, delays and attempts. The model has one page for each message. The first record of a live
    /// audience fixes its recipients.
    mutating func recordOutcomes(_ record: OutcomeRecord, now: UInt64) -> ChangeAnswer {
        guard var sent = messages[record.message.rawValue], record.page == 0, sent.waitingState != .scheduled
        else { return .refused(.notFound) }
        if let live = sent.live, sent.recipients.isEmpty {
            let ids = record.addressed?.bits.map { UInt64($0) } ?? []
            guard sent.finishedAt == 0, !ids.isEmpty, live.excluded.isDisjoint(with: ids),
                ids.allSatisfy({ $0 < live.bound })
            else { return .refused(.notFound) }
            sent.recipients = ids.map { RecipientOutcome(device: deviceID($0), outcome: .pending) }
        }
        func index(_ position: UInt16) -> Int? {
            if sent.live == nil { return Int(position) < sent.recipients.count ? Int(position) : nil }
            return sent.recipients.firstIndex { $0.device?.rawValue == UInt64(position) }
        }
        let positions =
            record.endedRecipients.map(\.position) + record.delays.map(\.position) + record.attempts.map(\.position)
        guard !sent.recipients.isEmpty, positions.allSatisfy({ index($0) != nil }) else { return .refused(.notFound) }
        for ended in record.endedRecipients {
            guard let recipient = index(ended.position) else { continue }
            if let deadToken = ended.deadToken, let id = sent.recipients[recipient].device?.rawValue,
                let device = devices[id],
                deadToken.registeredAt == device.registeredAt, deadToken.since >= device.registeredAt,
                device.state == .active
            {
                devices[id]?.state = .quarantined
                quarantinedSince[id] = now
            }
            guard sent.recipients[recipient].outcome == .pending else { continue }
            sent.recipients[recipient].outcome = ended.outcome
            sent.delays[Int(ended.position)] = nil
        }
        for delay in record.delays {
            guard let recipient = index(delay.position), sent.recipients[recipient].outcome == .pending else {
                continue
            }
            sent.delays[Int(delay.position)] = delay
        }
        for recorded in record.attempts {
            let known = sent.attempts[Int(recorded.position), default: []]
            sent.attempts[Int(recorded.position)] = (known + [recorded.attempt]).suffix(MessageTrace.maximumAttempts)
        }
        let finishes =
            sent.live == nil && sent.finishedAt == 0 && !sent.recipients.contains { $0.outcome == .pending }
        if finishes { finish(&sent, now: now) }
        messages[record.message.rawValue] = sent
        return .outcomesRecorded(isFinished: finishes)
    }

    /// Finishes a message to a live audience, as the engine asks for after its last page, if no recipient is pending.
    mutating func finish(_ message: MessageID, now: UInt64) -> ChangeAnswer {
        guard var sent = messages[message.rawValue] else { return .refused(.notFound) }
        let isDone =
            sent.live != nil && sent.waitingState != .scheduled && !sent.recipients.contains { $0.outcome == .pending }
        if sent.finishedAt == 0 && isDone { finish(&sent, now: now) }
        messages[message.rawValue] = sent
        return .messageChecked(isFinished: sent.finishedAt != 0)
    }

    /// Removes all rows whose retention is over.
    mutating func sweep(_ now: UInt64) {
        tombstones = tombstones.filter { $0.value.written + Self.tombstoneMilliseconds >= now }
        for (id, since) in quarantinedSince where now - since > Self.quarantineMilliseconds {
            guard let device = devices[id] else { continue }
            remove(id)
            tombstones[device.address] = StoredTombstone(at: now, written: now)
        }
        keyUses = keyUses.filter { now - $0.value.at <= Self.keyMilliseconds }
        messages = messages.filter { $0.value.finishedAt == 0 || now - $0.value.finishedAt <= Self.messageMilliseconds }
    }
}
