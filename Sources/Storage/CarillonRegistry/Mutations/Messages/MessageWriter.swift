import CarillonCore
import CarillonLMDB

/// Writes new messages, from SEND, from RESEND and from the announcement of a JOIN: their rows, their place in the
/// outbox or the schedule, and their answer.
final class MessageWriter {
    private let tables: Tables
    private let outbox: OutboxWriter
    private let idempotencyStore: IdempotencyStore

    init(_ context: WriteContext) {
        tables = context.tables
        outbox = context.outbox
        idempotencyStore = IdempotencyStore(context)
    }

    /// Stores the rows of a new message, and returns the answer. Its recipients were stored or counted before. A
    /// message that can have no pending recipient is finished at once.
    func store(
        _ new: inout NewMessage,
        record: MessageRecord,
        metadata: MessageMetadata,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let id = new.id
        let mayHavePending = new.progress.mayHavePending
        if mayHavePending {
            try outbox.insert(new, content: record.content, in: &transaction)
        } else {
            try outbox.finish(id, progress: &new.progress, now: new.acceptedAt, in: &transaction)
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
        try idempotencyStore.store(acceptance, of: new, under: record.key, in: &transaction)
        let isSent = mayHavePending && progress.hold == .none
        return .accepted(acceptance, outbound: isSent ? OutboundMessage(id, record: record, progress: progress) : nil)
    }
}

/// A message that is being accepted.
struct NewMessage {
    let id: MessageID
    let keyMeaning: IdempotencyStore.Meaning
    var progress: MessageProgress

    var acceptedAt: Timestamp { progress.acceptedAt }
}

extension SendResult {
    /// Converts a number of devices into the form of an answer. The protocol gives it 32 bits, and a message may have
    /// more devices; the status of the message has the whole number.
    static func total(_ devices: UInt64) -> UInt32 { UInt32(clamping: devices) }
}
