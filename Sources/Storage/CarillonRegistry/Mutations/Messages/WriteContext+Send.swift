import CarillonCore
import CarillonLMDB

/// The operation SEND: the stored rows of a new message, and the count of its audience.
extension WriteContext {
    /// Applies SEND (Protocol 10.1), but no dry run. The audience is read here, so that it shows every change that came
    /// before the message.
    ///
    /// - Parameter others: further devices that are left out of a live audience, ascending.
    func accept(
        _ message: Message,
        sender: String?,
        excluding others: [DeviceID] = [],
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let app = try ids.number(of: message.content.app, in: &transaction)
        let scope = ChangeScope(app: app, now: now)
        let use = try keyUse(
            of: message.idempotencyKey, fingerprint: RequestFingerprint(of: message), scope: scope, in: transaction)
        if case .answered(let answer) = use { return answer }

        var new = NewMessage(
            id: try ids.newMessage(in: transaction), keyUse: use, progress: MessageProgress(message, scope: scope))
        let (live, channel) = try storeAudience(of: message, for: &new, excluding: others, in: &transaction)
        let record = MessageRecord(
            key: message.idempotencyKey,
            content: message.content,
            notAfter: message.notAfter,
            lane: message.lane,
            channel: channel,
            live: live
        )
        let metadata = MessageMetadata(sender: sender, label: message.label, traceParent: message.traceParent)
        return try storeMessage(&new, record: record, metadata: metadata, in: &transaction)
    }

    /// Stores a new message whose recipients are stored or counted, and returns the answer. A message without
    /// recipients is finished at once.
    func storeMessage(
        _ new: inout NewMessage,
        record: MessageRecord,
        metadata: MessageMetadata,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let (id, mayHavePending) = (new.id, new.progress.mayHavePending)
        if mayHavePending {
            try enqueue(new, content: record.content, in: &transaction)
        } else {
            try finish(id, progress: &new.progress, now: new.acceptedAt, in: &transaction)
        }
        let progress = new.progress
        try tables.progress.put(progress, for: id, in: &transaction)
        try tables.messages.put(record, for: id, in: &transaction)
        try tables.messageMetadata.put(metadata, for: id, in: &transaction)
        try tables.appMessages.insert(id, app: progress.app, in: &transaction)
        var acceptance = SendResult(
            id: id,
            isDuplicate: false,
            total: SendResult.total(progress.isLive ? progress.expectedCount : progress.counts.total),
            ended: progress.endedAtAcceptance
        )
        acceptance.isCounted = progress.isCounted
        try storeAnswer(acceptance, of: new, under: record.key, in: &transaction)
        let isSent = mayHavePending && progress.hold == .none
        return .accepted(acceptance, outbound: isSent ? OutboundMessage(id, record: record, progress: progress) : nil)
    }

    /// Inserts a new message into the schedule or the outbox.
    private func enqueue(
        _ new: NewMessage, content: MessageContent, in transaction: inout WriteTransaction
    ) throws {
        if let due = new.progress.sendAt, new.progress.hold == .scheduled {
            try tables.schedule.insert(new.id, due: due, in: &transaction)
        } else {
            try tables.outbox.insert(new.id, queue: new.progress.queue, in: &transaction)
            try storedClaims.open(new.id, content: content, in: &transaction)
        }
    }

    /// Stores the answer of a message under its idempotency key, if it has one.
    private func storeAnswer(
        _ acceptance: SendResult,
        of message: NewMessage,
        under key: UUIDBytes?,
        in transaction: inout WriteTransaction
    ) throws {
        guard let key, case .new(let fingerprint, let expired) = message.keyUse else { return }
        let (app, now) = (message.progress.app, message.acceptedAt)
        if let expired {
            try tables.expiry.delete(.idempotencyKey(app, key), from: expired, in: &transaction)
        }
        let answer = IdempotencyRecord(
            fingerprint: fingerprint,
            message: acceptance.id,
            total: acceptance.total,
            ended: acceptance.ended,
            acceptedAt: now
        )
        try tables.idempotency.put(answer, for: key, app: app, in: &transaction)
        try tables.expiry.insert(.idempotencyKey(app, key), from: now, in: &transaction)
    }

    /// Stores the recipients of a list or of a broadcast channel, or counts the recipients of a live audience.
    ///
    /// - Returns: the live audience, or the channel; neither for a list.
    private func storeAudience(
        of message: Message,
        for new: inout NewMessage,
        excluding others: [DeviceID],
        in transaction: inout WriteTransaction
    ) throws -> (live: LiveAudience?, channel: ChannelAddress?) {
        switch message.audience {
        case .devices(let devices):
            try storeRecipients(devices, of: message, for: &new, in: &transaction)
            return (nil, nil)
        case .channel(let channel):
            let recipient = ListedAudience.channel
            new.progress.counts = recipient.counts
            new.progress.pageCount = try storePages(of: recipient, for: new.id, in: &transaction)
            return (nil, channel)
        case .groups, .topic, .condition, .all: break
        }
        var excluded = others
        if let reference = message.excludedDevice,
            let device = try device(reference, app: new.progress.app, in: transaction)
        {
            excluded.append(device.id)
        }
        let audience = LiveAudience(
            audience: message.audience, excluded: excluded, idBound: ids.nextDevice(of: message.content.app))
        new.progress.isLive = true
        if let expected = try count(audience, app: new.progress.app, in: &transaction) {
            new.progress.expectedCount = expected
        } else {
            new.progress.isCounted = false
        }
        return (audience, nil)
    }

    /// Looks up the devices of a list, and stores recipients and their outcomes in pages.
    private func storeRecipients(
        _ devices: [DeviceReference],
        of message: Message,
        for new: inout NewMessage,
        in transaction: inout WriteTransaction
    ) throws {
        let audience = try ListedAudience(
            of: devices,
            excluding: message.excludedDevice,
            pushType: new.progress.hold == .scheduled ? nil : message.content.pushType,
            app: new.progress.app,
            tables: tables,
            known: tokenIndex.deviceInMemory,
            in: transaction
        )
        new.progress.counts = audience.counts
        new.progress.endedAtAcceptance = SendResult.total(audience.counts.total - audience.counts[.pending])
        new.progress.pageCount = try storePages(of: audience, for: new.id, in: &transaction)
        guard new.progress.endedAtAcceptance > 0 else { return }
        var failures: [(device: DeviceID?, outcome: Outcome)] = []
        for (device, outcome) in zip(audience.ids, audience.outcomes) where outcome != Outcome.pending.rawValue {
            failures.append((device == 0 ? nil : DeviceID(rawValue: device), Outcome(rawValue: outcome)))
        }
        try events.appendFailures(
            failures, of: new.id, app: message.content.app, at: new.acceptedAt, in: &transaction)
    }

    /// Returns the number of devices that a live audience addresses now; nil if counting them takes too long here.
    func count(_ audience: LiveAudience, app: AppNumber, in transaction: inout WriteTransaction) throws -> UInt64? {
        guard let condition = audience.audience.condition else { return 0 }
        let plan = ConditionPlan(condition)
        if let name = plan.singleSet {
            guard let set = try sets.find(SetLabel(name), app: app, in: transaction) else { return 0 }
            let excludedCount = try audience.excluded.count {
                try sets.bits(of: set, at: $0.chunk, in: transaction).contains($0.offset)
            }
            return set.record.devices - min(UInt64(excludedCount), set.record.devices)
        }
        try sets.flush(in: &transaction)
        do {
            return try tables.withScan(of: plan, app: app, maximumSteps: maximumCountingSteps, in: transaction) {
                try $0.count(audience.restrict)
            }
        } catch is PostingScan.LimitError {
            return nil
        }
    }

    /// Stores the number of devices of a message that was accepted without counting them, if it is not known yet.
    func setAudienceCount(
        _ devices: UInt64, of message: MessageID, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard var progress = try tables.progress.get(message, in: transaction) else {
            return .refused(.notFound)
        }
        guard !progress.isCounted else { return .audienceCounted(devices: progress.total) }
        progress.isCounted = true
        // A message that has finished has counted its devices itself.
        if !progress.isFinished { progress.expectedCount = min(devices, ProgressTable.maximumTotal) }
        try tables.progress.put(progress, for: message, in: &transaction)
        if let key = try tables.messages.get(message, in: transaction)?.key,
            var answer = try tables.idempotency.get(key, app: progress.app, in: transaction),
            answer.message == message
        {
            answer.total = SendResult.total(progress.total)
            try tables.idempotency.put(answer, for: key, app: progress.app, in: &transaction)
        }
        return .audienceCounted(devices: progress.total)
    }

    /// A message that is being accepted.
    struct NewMessage {
        let id: MessageID
        let keyUse: KeyUse
        var progress: MessageProgress

        var acceptedAt: Timestamp { progress.acceptedAt }
    }

    /// The meaning of the idempotency key of a message.
    enum KeyUse {
        /// The message has no key.
        case none
        /// The key is to be stored; `expired` is the time of an earlier use that is no longer kept.
        case new(RequestFingerprint, expired: Timestamp?)
        /// The answer is known already.
        case answered(ChangeAnswer)
    }

    /// Finds out what the idempotency key of a message means: the message has no key, its key is new, or the message
    /// that had the key first is the answer. A different message with the same key is refused.
    ///
    /// - Parameter fingerprint: the fingerprint of the request, by which a repetition is known.
    func keyUse(
        of key: UUIDBytes?,
        fingerprint: @autoclosure () -> RequestFingerprint,
        scope: ChangeScope,
        in transaction: borrowing WriteTransaction
    ) throws -> KeyUse {
        guard let key else { return .none }
        let fingerprint = fingerprint()
        guard let earlier = try tables.idempotency.get(key, app: scope.app, in: transaction) else {
            return .new(fingerprint, expired: nil)
        }
        let retention = try settings(in: transaction).retention.idempotencyMilliseconds
        guard scope.now.milliseconds(since: earlier.acceptedAt) <= retention else {
            return .new(fingerprint, expired: earlier.acceptedAt)
        }
        guard earlier.fingerprint == fingerprint else { return .answered(.refused(.idempotencyConflict)) }
        var acceptance = SendResult(
            id: earlier.message,
            isDuplicate: true,
            total: earlier.total,
            ended: earlier.ended
        )
        acceptance.isCounted = try tables.progress.get(earlier.message, in: transaction)?.isCounted ?? true
        return .answered(.accepted(acceptance, outbound: nil))
    }

    /// Stores recipients and their outcomes in pages; returns the number of pages.
    private func storePages(
        of audience: ListedAudience,
        for message: MessageID,
        in transaction: inout WriteTransaction
    ) throws -> UInt32 {
        var page: UInt32 = 0
        for start in stride(from: 0, to: audience.ids.count, by: RegistryLimits.recipientsPerPage) {
            let range = start..<min(start + RegistryLimits.recipientsPerPage, audience.ids.count)
            try tables.recipients.put(audience.ids[range], for: message, page: page, in: &transaction)
            try tables.outcomes.put(
                audience.outcomes.span.extracting(range), for: message, page: page, in: &transaction)
            page += 1
        }
        return page
    }
}

extension SendResult {
    /// Converts a number of devices into the form of an answer. The protocol gives it 32 bits, and a message may have
    /// more devices; the status of the message has the whole number.
    fileprivate static func total(_ devices: UInt64) -> UInt32 { UInt32(clamping: devices) }
}

extension MessageProgress {
    /// Makes the progress of a new message whose recipients are not known yet.
    fileprivate init(_ message: Message, scope: ChangeScope) {
        self.init(
            app: scope.app, lane: message.lane, pushType: message.content.pushType, isLive: false,
            acceptedAt: scope.now)
        pace = message.pace
        if let sendAt = message.sendAt, sendAt > scope.now {
            hold = .scheduled
            self.sendAt = sendAt
        } else {
            sendableSince = scope.now
        }
    }
}
