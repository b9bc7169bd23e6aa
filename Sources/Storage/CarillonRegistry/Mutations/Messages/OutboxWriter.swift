import CarillonCore
import CarillonLMDB

/// Puts messages into the outbox or the schedule, moves them, and takes them out when they are finished or paused. The
/// claims of a message are opened when it goes into the outbox, and closed when it is finished.
final class OutboxWriter {
    private let tables: Tables
    private let ids: IDAllocator
    private let events: EventWriter
    private let storedClaims: StoredClaims
    private let audienceCounter: LiveAudienceCounter

    init(
        tables: Tables, ids: IDAllocator, events: EventWriter, storedClaims: StoredClaims,
        audienceCounter: LiveAudienceCounter
    ) {
        self.tables = tables
        self.ids = ids
        self.events = events
        self.storedClaims = storedClaims
        self.audienceCounter = audienceCounter
    }

    /// Inserts a new message into the schedule or the outbox.
    func insert(
        _ new: NewMessage, content: MessageContent, in transaction: inout WriteTransaction
    ) throws {
        if let due = new.progress.sendAt, new.progress.hold == .scheduled {
            try tables.schedule.insert(new.id, due: due, in: &transaction)
        } else {
            try tables.outbox.insert(new.id, queue: new.progress.queue, in: &transaction)
            try storedClaims.open(new.id, content: content, in: &transaction)
        }
    }

    /// Moves an unfinished message into the outbox if it is not there. The live audience of a scheduled message is
    /// fixed and counted now; if it is empty, the message is finished.
    ///
    /// - Returns: the message; nil if it was finished.
    func move(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboundMessage? {
        guard var record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        try remove(message, progress: progress, in: &transaction)
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
                let expected = try audienceCounter.count(live, app: progress.app, in: &transaction)
                if let expected {
                    progress.expectedCount = expected
                    progress.isCounted = true
                }
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

    /// Removes a message from the outbox or the schedule, if it is in one of them.
    func remove(
        _ message: MessageID, progress: MessageProgress, in transaction: inout WriteTransaction
    ) throws {
        switch progress.hold {
        case .none: try tables.outbox.delete(message, queue: progress.queue, in: &transaction)
        case .scheduled:
            if let due = progress.sendAt { try tables.schedule.delete(message, due: due, in: &transaction) }
        case .paused: break
        }
    }

    // MARK: The end of a message

    /// Finishes a message to a live audience if no recipient is pending. Call it after every page was read.
    func finishLiveMessageIfDone(
        _ message: MessageID, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard var progress = try tables.progress.get(message, in: transaction) else { return .refused(.notFound) }
        let isDone = progress.isLive && progress.hold != .scheduled && progress.counts[.pending] == 0
        if isDone && !progress.isFinished {
            try finish(message, progress: &progress, now: now, in: &transaction)
        }
        return .messageChecked(isFinished: progress.isFinished)
    }

    /// Finishes a message and stores its progress. Every recipient has an outcome.
    func finish(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        try remove(message, progress: progress, in: &transaction)
        try storedClaims.close(message, in: &transaction)
        progress.hold = .none
        // The time as it is stored: `ProgressTable` has no time of zero.
        let finishedAt = max(now, Timestamp(milliseconds: 1))
        progress.finishedAt = finishedAt
        try tables.expiry.insert(.message(message), from: finishedAt, in: &transaction)
        let event = Event(
            at: now, kind: .messageFinished, app: try ids.name(of: progress.app, in: transaction), message: message,
            count: progress.counts.total)
        try events.append(event, in: &transaction)
        try tables.progress.put(progress, for: message, in: &transaction)
    }
}
