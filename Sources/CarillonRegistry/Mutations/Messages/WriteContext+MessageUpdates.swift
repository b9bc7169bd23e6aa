import CarillonCore
import CarillonLMDB

/// The operation UPDATE_MESSAGE (cancel, pause, resume and pace), and the release of scheduled messages.
extension WriteContext {
    /// Applies UPDATE_MESSAGE (Protocol 10.6). An update that changes nothing is answered, but makes no event.
    func updateMessage(
        _ message: MessageID,
        app: AppID,
        with messageUpdate: MessageUpdate,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let number = try ids.knownNumber(of: app, in: transaction),
            var progress = try tables.progress.get(message, in: transaction), progress.app == number
        else { return .refused(.notFound) }
        guard !progress.isFinished else { return .messageUpdated(.finished, outbound: nil) }
        guard let word = progress.word(for: messageUpdate) else {
            return .messageUpdated(progress.state, outbound: nil)
        }
        let event = Event(at: now, kind: .messageUpdated, app: app, message: message, text: word)
        try events.append(event, in: &transaction)
        var outbound: OutboundMessage?
        switch messageUpdate {
        case .cancel:
            progress.isCancelled = true
            outbound = try activate(message, progress: &progress, now: now, in: &transaction)
        case .pause:
            try removeFromQueue(message, progress: progress, in: &transaction)
            progress.outboxState = .paused
        case .resume:
            if progress.outboxState == .paused, let due = progress.timeToCome(after: now) {
                progress.outboxState = .scheduled
                try tables.schedule.insert(message, due: due, in: &transaction)
            } else {
                outbound = try activate(message, progress: &progress, now: now, in: &transaction)
            }
        case .pace(let pace):
            progress.pace = pace
            try setOneSender(pace != nil, of: message, in: &transaction)
        }
        try tables.progress.put(progress, for: message, in: &transaction)
        return .messageUpdated(progress.state, outbound: outbound)
    }

    /// The most messages that one change releases.
    private static let maximumReleased = 1_000
    /// The most bytes of contents that one change releases, roughly, including the cost of counting audiences.
    private static let releaseBytes = 4 << 20

    /// Moves scheduled messages whose time has come into the outbox. A message that cannot be read stays in the
    /// schedule, and is skipped until the next start.
    func releaseScheduled(now: Timestamp, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        var entries: [OutboundMessage] = []
        var (count, bytes) = (0, 0)
        while count < Self.maximumReleased, bytes < Self.releaseBytes,
            let (due, message) = try tables.schedule.first(in: transaction, where: mayRelease), due <= now
        {
            count += 1
            let waiting: (progress: MessageProgress, bytes: Int)?
            do {
                waiting = try scheduled(message, at: due, in: transaction)
            } catch RegistryError.corrupted(let reason) {
                // Nothing was written, so the other messages need no transaction of their own.
                unreadable.insert(.scheduled(message), because: reason)
                continue
            }
            guard let waiting else {
                // A row without its message must not delay the messages behind it.
                try tables.schedule.delete(message, due: due, in: &transaction)
                continue
            }
            var progress = waiting.progress
            let outbound = try releaseScheduled(message, progress: &progress, now: now, in: &transaction)
            try tables.progress.put(progress, for: message, in: &transaction)
            bytes += waiting.bytes
            if let outbound { entries.append(outbound) }
        }
        let next = try tables.schedule.first(in: transaction, where: mayRelease)?.due
        return .released(entries, next: next)
    }

    private func mayRelease(_ message: MessageID) -> Bool { !unreadable.contains(.scheduled(message)) }

    /// Returns the message of a row of the schedule, and the cost of its release in bytes; nil if no message is
    /// scheduled for that time.
    private func scheduled(
        _ message: MessageID, at due: Timestamp, in transaction: borrowing WriteTransaction
    ) throws -> (progress: MessageProgress, bytes: Int)? {
        guard let progress = try tables.progress.get(message, in: transaction), progress.outboxState == .scheduled,
            progress.sendAt == due
        else { return nil }
        guard let record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        let chunks = try ids.chunks(of: record.content.app, in: transaction)
        let counting = record.live?.audience.countingBytes(chunks: chunks) ?? 0
        return (progress, MessageTable.bodyBytes(record.content) + counting)
    }

    /// Activates a message whose time has come. If a row that it needs is corrupt, this transaction is aborted, and the
    /// next one skips the message.
    private func releaseScheduled(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboundMessage? {
        do {
            return try activate(message, progress: &progress, now: now, in: &transaction)
        } catch {
            guard case .corrupted(let reason) = RegistryError(reading: error) else { throw error }
            unreadable.insert(.scheduled(message), because: reason)
            throw error
        }
    }

    /// Moves an unfinished message into the outbox if it is not there. The audience of a scheduled message is counted
    /// now; if it is empty, the message is finished.
    private func activate(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboundMessage? {
        guard var record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        try removeFromQueue(message, progress: progress, in: &transaction)
        progress.outboxState = .active
        if progress.sendableSince == nil {
            progress.sendableSince = now
            if var live = record.live {
                guard try ids.knownNumber(of: record.content.app, in: transaction) == progress.app else {
                    throw RegistryError.corrupted("messages: another app than the progress says")
                }
                live.bound = ids.nextDevice(of: record.content.app)
                record.live = live
                try tables.messages.put(record, for: message, in: &transaction)
                // If counting takes too long, the count of the acceptance stays.
                let expected = try count(live, app: progress.app, in: &transaction)
                if let expected { (progress.expected, progress.isCounted) = (expected, true) }
                guard expected != 0 else {
                    try finish(message, progress: &progress, now: now, in: &transaction)
                    return nil
                }
            }
        }
        try tables.outbox.insert(message, queue: progress.queue, in: &transaction)
        try openClaims(of: message, content: record.content, in: &transaction)
        return OutboundMessage(message, record: record, progress: progress)
    }

    /// Removes an unfinished message from the outbox or the schedule.
    func removeFromQueue(
        _ message: MessageID, progress: MessageProgress, in transaction: inout WriteTransaction
    ) throws {
        switch progress.outboxState {
        case .active: try tables.outbox.delete(message, queue: progress.queue, in: &transaction)
        case .scheduled:
            if let due = progress.sendAt { try tables.schedule.delete(message, due: due, in: &transaction) }
        case .paused: break
        }
    }
}

extension MessageProgress {
    /// Returns the text of the event of a message update; nil if the update changes nothing.
    fileprivate func word(for messageUpdate: MessageUpdate) -> String? {
        switch messageUpdate {
        case .cancel: isCancelled ? nil : "cancelled"
        case .pause: isCancelled || outboxState == .paused ? nil : "paused"
        case .resume: outboxState == .active ? nil : "resumed"
        case .pace(let pace): pace == self.pace ? nil : "paced"
        }
    }
}
