import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Protocol 8.1. The audience is looked up here, so that it sees every change before the message.
    func accept(
        _ message: Message,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let app = try number(of: message.content.app, in: &transaction)
        let use = try keyUse(of: message, app, now: now, transaction)
        if case .answered(let answer) = use { return answer }

        let audience = try Audience(of: message, app: app, layout: layout, transaction)
        let counts = audience.counts
        let pending = counts[.pending]
        let total = UInt32(clamping: audience.ids.count)
        let ended = UInt32(clamping: UInt64(audience.ids.count) - pending)
        let id = try newMessage(transaction)
        let pages = try store(audience, of: id, in: &transaction)
        let progress = Progress(
            app: app,
            pages: pages,
            endedAtOnce: ended,
            acceptedAt: now,
            finishedAt: pending == 0 ? max(now, Timestamp(milliseconds: 1)) : .zero,
            counts: counts
        )
        try layout.progress.put(&transaction, id, progress)
        let record = MessageRecord(
            key: message.key,
            content: message.content,
            notAfter: message.notAfter,
            lane: message.lane
        )
        try layout.messages.insert(&transaction, id, record)
        if pending > 0 {
            try layout.outbox.insert(&transaction, id)
        } else {
            try layout.expiry.insert(&transaction, .message(id), from: progress.finishedAt)
        }
        if case .new(let fingerprint, let expired) = use {
            if let expired {
                try layout.expiry.delete(&transaction, .idempotencyKey(app, message.key), from: expired)
            }
            let record = IdempotencyRecord(
                fingerprint: fingerprint,
                message: id,
                total: total,
                ended: ended,
                acceptedAt: now
            )
            try layout.idempotency.put(&transaction, app, message.key, record)
            try layout.expiry.insert(&transaction, .idempotencyKey(app, message.key), from: now)
        }
        let acceptance = Acceptance(id: id, isDuplicate: false, total: total, ended: ended)
        guard pending > 0 else { return .accepted(acceptance, nil) }
        let entry = OutboxEntry(
            id: id,
            content: message.content,
            acceptedAt: now,
            notAfter: message.notAfter,
            lane: message.lane,
            pages: pages
        )
        return .accepted(acceptance, entry)
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
        _ audience: Audience,
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
