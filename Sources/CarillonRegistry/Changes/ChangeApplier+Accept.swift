import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Protocol 8.1. The audience is looked up here, so that it sees every change before the message.
    ///
    /// - Parameter except: further devices that are left out of a live audience, ascending.
    func accept(
        _ message: Message,
        except: [DeviceID] = [],
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        if message.isDryRun { return try count(message, in: &transaction) }
        let app = try number(of: message.content.app, in: &transaction)
        let use = try keyUse(of: message, app, now: now, transaction)
        if case .answered(let answer) = use { return answer }

        let id = try newMessage(transaction)
        var progress = Progress(app: app, lane: message.lane, isLive: false, acceptedAt: now)
        var live: LiveAudience?
        if case .devices(let devices) = message.audience {
            try address(devices, of: message, id, &progress, in: &transaction)
        } else {
            var left = except
            if let device = try message.except.flatMap({ try device($0, app, transaction) }) { left.append(device.id) }
            let audience = LiveAudience(
                audience: message.audience, except: left, bound: nextDevice(of: message.content.app))
            progress.isLive = true
            progress.expected = try count(audience, app, in: &transaction)
            live = audience
        }
        let isPending = progress.isLive ? progress.expected > 0 : progress.counts[.pending] > 0
        if !isPending { progress.finishedAt = max(now, Timestamp(milliseconds: 1)) }
        try layout.progress.put(&transaction, id, progress)
        let record = MessageRecord(
            key: message.key,
            content: message.content,
            notAfter: message.notAfter,
            lane: message.lane,
            live: live
        )
        try layout.messages.insert(&transaction, id, record)
        if isPending {
            try layout.outbox.insert(&transaction, progress.queue, id)
        } else {
            try layout.expiry.insert(&transaction, .message(id), from: progress.finishedAt)
        }
        let acceptance = Acceptance(
            id: id,
            isDuplicate: false,
            total: UInt32(clamping: progress.isLive ? progress.expected : progress.counts.total),
            ended: progress.endedAtOnce
        )
        if case .new(let fingerprint, let expired) = use {
            if let expired {
                try layout.expiry.delete(&transaction, .idempotencyKey(app, message.key), from: expired)
            }
            let record = IdempotencyRecord(
                fingerprint: fingerprint,
                message: id,
                total: acceptance.total,
                ended: acceptance.ended,
                acceptedAt: now
            )
            try layout.idempotency.put(&transaction, app, message.key, record)
            try layout.expiry.insert(&transaction, .idempotencyKey(app, message.key), from: now)
        }
        return .accepted(acceptance, isPending ? OutboxEntry(id, record, progress) : nil)
    }

    /// Looks up a list and stores recipients and their outcomes in pages.
    private func address(
        _ devices: [DeviceReference],
        of message: Message,
        _ id: MessageID,
        _ progress: inout Progress,
        in transaction: inout WriteTransaction
    ) throws {
        let audience = try ListedAudience(
            of: devices,
            except: message.except,
            pushType: message.content.pushType,
            app: progress.app,
            layout: layout,
            transaction
        )
        progress.counts = audience.counts
        progress.endedAtOnce = UInt32(clamping: progress.counts.total - progress.counts[.pending])
        progress.pages = try store(audience, of: id, in: &transaction)
    }

    /// A dry run: everything is counted and nothing is stored.
    private func count(_ message: Message, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        let app = try knownApp(message.content.app, transaction)
        var (total, ended): (UInt64, UInt64) = (0, 0)
        if case .devices(let devices) = message.audience {
            let counts = try ListedAudience(
                of: devices,
                except: message.except,
                pushType: message.content.pushType,
                app: app,
                layout: layout,
                transaction
            ).counts
            total = counts.total
            ended = total - counts[.pending]
        } else if let app {
            let left = try message.except.flatMap { try device($0, app, transaction) }.map { [$0.id] } ?? []
            let audience = LiveAudience(
                audience: message.audience, except: left, bound: nextDevice(of: message.content.app))
            total = try count(audience, app, in: &transaction)
        }
        let acceptance = Acceptance(
            id: MessageID(rawValue: 0), isDuplicate: false, total: UInt32(clamping: total),
            ended: UInt32(clamping: ended))
        return .accepted(acceptance, nil)
    }

    /// How many devices a live audience addresses at this moment.
    private func count(
        _ audience: LiveAudience,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> UInt64 {
        guard let condition = audience.audience.condition else { return 0 }
        let plan = ConditionPlan(condition)
        if let name = plan.singleSet {
            guard let set = try sets.find(app, SetLabel(name), transaction) else { return 0 }
            let left = try audience.except.count {
                try sets.bits(of: set, at: $0.chunk, transaction).contains($0.offset)
            }
            return set.record.devices - min(UInt64(left), set.record.devices)
        }
        try sets.flush(&transaction)
        return try AudienceScan.with(plan, app, layout, transaction) { try $0.count(audience.restrict) }
    }

    /// What the idempotency key of a message means now.
    private enum KeyUse {
        /// There is no key.
        case none
        /// The key is to be stored; `expired` is the time of an earlier use outside the window.
        case new(Fingerprint, expired: Timestamp?)
        /// The answer is known without accepting anything.
        case answered(ChangeAnswer)
    }

    private func keyUse(
        of message: Message,
        _ app: AppNumber,
        now: Timestamp,
        _ transaction: borrowing WriteTransaction
    ) throws -> KeyUse {
        guard message.key != .zero else { return .none }
        let fingerprint = Fingerprint(of: message)
        guard let earlier = try layout.idempotency.get(transaction, app, message.key) else {
            return .new(fingerprint, expired: nil)
        }
        guard now.milliseconds(since: earlier.acceptedAt) <= retention.idempotencyMilliseconds else {
            return .new(fingerprint, expired: earlier.acceptedAt)
        }
        guard earlier.fingerprint == fingerprint else { return .answered(.refused(.idempotencyConflict)) }
        let acceptance = Acceptance(
            id: earlier.message,
            isDuplicate: true,
            total: earlier.total,
            ended: earlier.ended
        )
        return .answered(.accepted(acceptance, nil))
    }

    /// Stores recipients and their outcomes in pages; returns how many.
    private func store(
        _ audience: ListedAudience,
        of message: MessageID,
        in transaction: inout WriteTransaction
    ) throws -> UInt32 {
        var page: UInt32 = 0
        for start in stride(from: 0, to: audience.ids.count, by: RegistryLimits.recipientsPerPage) {
            let range = start..<min(start + RegistryLimits.recipientsPerPage, audience.ids.count)
            try layout.recipients.put(&transaction, message, page: page, audience.ids[range])
            try layout.outcomes.put(&transaction, message, page: page, audience.outcomes.span.extracting(range))
            page += 1
        }
        return page
    }
}

extension OutboxEntry {
    /// What the engine must know of a stored message.
    init(_ id: MessageID, _ record: MessageRecord, _ progress: Progress) {
        self.init(
            id: id,
            content: record.content,
            acceptedAt: progress.acceptedAt,
            notAfter: record.notAfter,
            lane: record.lane,
            isLive: progress.isLive,
            floor: progress.floor
        )
    }
}
