import CarillonCore
import CarillonLMDB

/// Applies SEND: the recipients of a new message, and the count of its audience.
final class SendApplier {
    private let context: WriteContext
    private let tables: Tables
    private let idempotencyStore: IdempotencyStore
    private let messages: MessageWriter

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
        idempotencyStore = IdempotencyStore(context)
        messages = MessageWriter(context)
    }

    /// Applies SEND (Protocol 10.1), but no dry run. A list is looked up here, and a live audience is counted here, so
    /// that both show every change that came before the message.
    ///
    /// - Parameter others: further devices that are left out of a live audience, ascending.
    func accept(
        _ message: Message,
        sender: String?,
        excluding others: [DeviceID] = [],
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let app = try context.ids.number(of: message.content.app, in: &transaction)
        let scope = ChangeScope(app: app, now: now)
        let meaning = try idempotencyStore.meaning(
            of: message.idempotencyKey, fingerprint: RequestFingerprint(of: message), scope: scope, in: transaction)
        if case .answered(let answer) = meaning { return answer }

        var new = NewMessage(
            id: try context.ids.newMessage(in: transaction), keyMeaning: meaning,
            progress: MessageProgress(message, scope: scope))
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
        return try messages.store(&new, record: record, metadata: metadata, in: &transaction)
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
            let device = try context.devices.device(reference, app: new.progress.app, in: transaction)
        {
            excluded.append(device.id)
        }
        let audience = LiveAudience(
            audience: message.audience, excluded: excluded, idBound: context.ids.nextDevice(of: message.content.app))
        new.progress.isLive = true
        if let expected = try context.audienceCounter.count(audience, app: new.progress.app, in: &transaction) {
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
            known: context.tokenIndex.deviceInMemory,
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
        try context.events.appendFailures(
            failures, of: new.id, app: message.content.app, at: new.acceptedAt, in: &transaction)
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
