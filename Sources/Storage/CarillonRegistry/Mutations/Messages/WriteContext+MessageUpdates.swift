import CarillonCore
import CarillonLMDB

/// The operation UPDATE_MESSAGE: cancel, pause, resume and pace.
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
            outbound = try moveToOutbox(message, progress: &progress, now: now, in: &transaction)
        case .pause:
            try removeFromOutboxOrSchedule(message, progress: progress, in: &transaction)
            progress.hold = .paused
        case .resume:
            if progress.hold == .paused, let due = progress.timeToCome(after: now) {
                progress.hold = .scheduled
                try tables.schedule.insert(message, due: due, in: &transaction)
            } else {
                outbound = try moveToOutbox(message, progress: &progress, now: now, in: &transaction)
            }
        case .pace(let pace):
            progress.pace = pace
            try storedClaims.setOneSender(pace != nil, of: message, in: &transaction)
        }
        try tables.progress.put(progress, for: message, in: &transaction)
        return .messageUpdated(progress.state, outbound: outbound)
    }

    /// Moves an unfinished message into the outbox if it is not there. The audience of a scheduled message is counted
    /// now; if it is empty, the message is finished.
    func moveToOutbox(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboundMessage? {
        guard var record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        try removeFromOutboxOrSchedule(message, progress: progress, in: &transaction)
        progress.hold = .none
        if progress.sendableSince == nil {
            progress.sendableSince = now
            if var live = record.live {
                guard try ids.knownNumber(of: record.content.app, in: transaction) == progress.app else {
                    throw RegistryError.corrupted("messages: another app than the progress says")
                }
                live.idBound = ids.nextDevice(of: record.content.app)
                record.live = live
                try tables.messages.put(record, for: message, in: &transaction)
                // If counting takes too long, the count of the acceptance stays.
                let expected = try count(live, app: progress.app, in: &transaction)
                if let expected { (progress.expectedCount, progress.isCounted) = (expected, true) }
                guard expected != 0 else {
                    try finish(message, progress: &progress, now: now, in: &transaction)
                    return nil
                }
            }
        }
        try tables.outbox.insert(message, queue: progress.queue, in: &transaction)
        try storedClaims.open(message, content: record.content, in: &transaction)
        return OutboundMessage(message, record: record, progress: progress)
    }

    func removeFromOutboxOrSchedule(
        _ message: MessageID, progress: MessageProgress, in transaction: inout WriteTransaction
    ) throws {
        switch progress.hold {
        case .none: try tables.outbox.delete(message, queue: progress.queue, in: &transaction)
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
        case .pause: isCancelled || hold == .paused ? nil : "paused"
        case .resume: hold == .none ? nil : "resumed"
        case .pace(let pace): pace == self.pace ? nil : "paced"
        }
    }
}
