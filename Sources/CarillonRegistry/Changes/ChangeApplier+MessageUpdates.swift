import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// STEER. What changes nothing is answered and not told as an event.
    func updateMessage(
        _ message: MessageID,
        app: AppID,
        _ messageUpdate: MessageUpdate,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let number = try knownApp(app, transaction),
            var progress = try layout.progress.get(transaction, message), progress.app == number
        else { return .refused(.notFound) }
        guard !progress.isFinished else { return .messageUpdated(.finished, nil) }
        guard let word = progress.word(for: messageUpdate) else { return .messageUpdated(progress.state, nil) }
        let event = Event(at: now, kind: .messageUpdated, app: app, message: message, text: word)
        try events.append(event, in: &transaction)
        var entry: OutboxEntry?
        switch messageUpdate {
        case .cancel:
            progress.isCancelled = true
            entry = try takeUp(message, &progress, now: now, in: &transaction)
        case .pause:
            try takeOut(message, progress, in: &transaction)
            progress.standing = .paused
        case .resume where progress.standing == .paused && progress.startedAt == .zero && progress.sendAt > now:
            progress.standing = .scheduled
            try layout.schedule.insert(&transaction, progress.sendAt, message)
        case .resume:
            entry = try takeUp(message, &progress, now: now, in: &transaction)
        case .pace(let pace):
            progress.pace = pace ?? 0
        }
        try layout.progress.put(&transaction, message, progress)
        return .messageUpdated(progress.state, entry)
    }

    /// Messages that one change releases at most.
    private static let releaseLimit = 1_000
    /// Bytes of contents that one change releases, about, at most; what counting audiences costs is among them.
    private static let releaseBytes = 4 << 20

    /// Puts scheduled messages whose time has come into the outbox. One that cannot be read stays in the schedule, and is
    /// passed over until the next start.
    func release(now: Timestamp, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        var entries: [OutboxEntry] = []
        var (count, bytes) = (0, 0)
        while count < Self.releaseLimit, bytes < Self.releaseBytes,
            let (due, message) = try layout.schedule.first(transaction, where: mayRelease), due <= now
        {
            count += 1
            let waiting: (progress: Progress, bytes: Int)?
            do {
                waiting = try scheduled(message, at: due, transaction)
            } catch RegistryError.corrupted(let reason) {
                // Nothing was written: the others need no transaction of their own.
                passOver(.scheduled(message), reason)
                continue
            }
            guard let waiting else {
                // It leads nowhere, and must not keep those behind it from their time.
                try layout.schedule.delete(&transaction, due, message)
                continue
            }
            var progress = waiting.progress
            let entry = try release(message, &progress, now: now, in: &transaction)
            try layout.progress.put(&transaction, message, progress)
            bytes += waiting.bytes
            if let entry { entries.append(entry) }
        }
        let next = try layout.schedule.first(transaction, where: mayRelease)?.due
        return .released(entries, next: next)
    }

    private func mayRelease(_ message: MessageID) -> Bool { !isPassedOver(.scheduled(message)) }

    /// A message that stands in the schedule at that time and can be taken up, and what that costs; nil if it does not
    /// stand there.
    private func scheduled(
        _ message: MessageID, at due: Timestamp, _ transaction: borrowing WriteTransaction
    ) throws -> (progress: Progress, bytes: Int)? {
        guard let progress = try layout.progress.get(transaction, message), progress.standing == .scheduled,
            progress.sendAt == due
        else { return nil }
        guard let record = try layout.messages.get(transaction, message) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        let counting = record.live?.audience.countingBytes(chunks: chunks) ?? 0
        return (progress, MessageTable.bodyBytes(record.content) + counting)
    }

    /// Takes up a message whose time has come. If something is spoilt that it needs, this transaction is lost, and the next
    /// one goes past it.
    private func release(
        _ message: MessageID,
        _ progress: inout Progress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboxEntry? {
        do {
            return try takeUp(message, &progress, now: now, in: &transaction)
        } catch {
            guard case .corrupted(let reason) = RegistryError(reading: error) else { throw error }
            passOver(.scheduled(message), reason)
            throw error
        }
    }

    /// Puts an unfinished message into the outbox if it is not there. One that waited for its time takes its audience; if
    /// nobody is in it, the message has finished.
    private func takeUp(
        _ message: MessageID,
        _ progress: inout Progress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboxEntry? {
        guard var record = try layout.messages.get(transaction, message) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        try takeOut(message, progress, in: &transaction)
        progress.standing = .active
        if progress.startedAt == .zero {
            progress.startedAt = max(now, Timestamp(milliseconds: 1))
            if var live = record.live {
                guard try knownApp(record.content.app, transaction) == progress.app else {
                    throw RegistryError.corrupted("messages: another app than the progress says")
                }
                live.bound = nextDevice(of: record.content.app)
                record.live = live
                try layout.messages.put(&transaction, message, record)
                progress.expected = try count(live, progress.app, in: &transaction)
                guard progress.expected > 0 else {
                    try finish(message, &progress, now: now, in: &transaction)
                    return nil
                }
            }
        }
        try layout.outbox.insert(&transaction, progress.queue, message)
        return OutboxEntry(message, record, progress)
    }

    /// Takes an unfinished message out of the line that it stands in.
    func takeOut(_ message: MessageID, _ progress: Progress, in transaction: inout WriteTransaction) throws {
        switch progress.standing {
        case .active: try layout.outbox.delete(&transaction, progress.queue, message)
        case .scheduled: try layout.schedule.delete(&transaction, progress.sendAt, message)
        case .paused: break
        }
    }
}

extension Progress {
    /// What the event of a steering says; nil if it changes nothing.
    fileprivate func word(for messageUpdate: MessageUpdate) -> String? {
        switch messageUpdate {
        case .cancel: isCancelled ? nil : "cancelled"
        case .pause: isCancelled || standing == .paused ? nil : "paused"
        case .resume: standing == .active ? nil : "resumed"
        case .pace(let pace): pace ?? 0 == self.pace ? nil : "paced"
        }
    }
}
