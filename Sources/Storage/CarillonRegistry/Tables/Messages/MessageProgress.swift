import CarillonCore

/// The part of a message that changes while it waits and is sent. The part that does not change is its
/// ``MessageRecord``.
struct MessageProgress: Hashable {
    /// The reason why an unfinished message is not in the outbox, so that nothing of it is sent.
    enum Hold: UInt8 {
        /// The message is not held. A finished message never is.
        case none = 1
        /// The time of the message has not come: it is in the table of scheduled messages.
        case scheduled = 2
        /// The message is in neither table, until it is resumed.
        case paused = 3
    }

    var app: AppNumber
    var lane: Lane
    var pushType: PushType
    var hold = Hold.none
    /// True if the message was cancelled: the pending recipients end as cancelled.
    var isCancelled = false
    /// True if the audience of the message is evaluated page by page while it is sent.
    var isLive: Bool
    /// The number of pages of recipients of a list; 0 for a live audience.
    var pageCount: UInt32 = 0
    /// The number of recipients that had an outcome at acceptance.
    var endedAtAcceptance: UInt32 = 0
    /// The first page that may have pending recipients.
    var firstPendingPage: UInt32 = 0
    /// The number of recipients of a live audience, counted at acceptance.
    var expectedCount: UInt64 = 0
    /// True if the recipients of a live audience are counted. While they are not, because the count takes long,
    /// `expectedCount` is 0.
    var isCounted = true
    var acceptedAt: Timestamp
    /// The time at which the message was finished; nil while it is unfinished.
    var finishedAt: Timestamp?
    /// The time for which the message was scheduled; nil if it was not.
    var sendAt: Timestamp?
    /// The time since which the message can be sent, with its audience fixed; nil while it is scheduled.
    var sendableSince: Timestamp?
    /// The most deliveries a second; nil if there is no bound.
    var pace: UInt32?
    /// The number of recipients with a receipt of each kind.
    var receivedCount: UInt64 = 0
    var openedCount: UInt64 = 0
    /// The number of recipients of each outcome. For a live audience, only the recipients of fixed pages.
    var counts = OutcomeCounts()

    var isFinished: Bool { finishedAt != nil }

    /// True if there are recipients without an outcome, or if there may be: a scheduled message to a live audience can
    /// have recipients when its time comes.
    var mayHavePending: Bool {
        isLive ? expectedCount > 0 || !isCounted || hold == .scheduled : counts[.pending] > 0
    }

    /// Returns the time for which the message is scheduled; nil if there is none, or if it has come.
    func timeToCome(after now: Timestamp) -> Timestamp? {
        guard sendableSince == nil, let sendAt, sendAt > now else { return nil }
        return sendAt
    }

    var queue: OutboxTable.StoredQueue { OutboxTable.StoredQueue(lane: lane, app: app) }

    /// The number of recipients. While a message to a live audience is unfinished, it includes recipients that are
    /// counted and not fixed yet.
    var total: UInt64 { isLive && !isFinished ? max(expectedCount, counts.total) : counts.total }

    /// The number of recipients with an outcome.
    var ended: UInt64 { counts.total - counts[.pending] }

    /// The state (Protocol 10.2).
    var state: MessageState {
        if isFinished { return .finished }
        return switch hold {
        case .scheduled: .scheduled
        case .paused: .paused
        case .none: ended == UInt64(endedAtAcceptance) ? .waiting : .sending
        }
    }

    /// The answer to MESSAGE_STATUS (Protocol 10.2), without its audience and its rate.
    var status: MessageStatus {
        var outcomes = counts.byOutcome
        if total > ended { outcomes[.pending] = total - ended }
        var status = MessageStatus(
            state: state, acceptedAt: acceptedAt, finishedAt: finishedAt ?? .zero, total: total, outcomes: outcomes)
        status.sendAt = sendAt
        status.pace = pace
        status.received = receivedCount
        status.opened = openedCount
        return status
    }
}

/// The message that the delivery engine gets, made from the rows of a stored message.
extension OutboundMessage {
    init(_ id: MessageID, record: MessageRecord, progress: MessageProgress) {
        self.init(
            id: id,
            content: record.content,
            sendableSince: progress.sendableSince ?? .zero,
            notAfter: record.notAfter,
            lane: record.lane,
            isLive: progress.isLive,
            firstPendingPage: progress.firstPendingPage,
            pace: progress.pace,
            isCancelled: progress.isCancelled,
            channel: record.channel
        )
    }
}
