import CarillonCore
import CarillonLMDB

/// Releases scheduled messages into the outbox, when their time has come.
final class ScheduleApplier {
    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    /// The most messages that one change releases.
    private static let maximumReleased = 1_000
    /// The most bytes of contents that one change releases, roughly, including the cost of counting audiences.
    private static let maximumReleasedBytes = 4 << 20

    /// Moves scheduled messages whose time has come into the outbox. A message that cannot be read stays in the
    /// schedule, and is skipped until the next start.
    func release(now: Timestamp, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        var released: [OutboundMessage] = []
        var count = 0
        var bytes = 0
        while count < Self.maximumReleased, bytes < Self.maximumReleasedBytes,
            let (due, message) = try tables.schedule.first(in: transaction, where: mayRelease), due <= now
        {
            count += 1
            let waiting: (progress: MessageProgress, bytes: Int)?
            do {
                waiting = try scheduledMessage(message, at: due, in: transaction)
            } catch RegistryError.corrupted(let reason) {
                // Nothing of this message was written, so this transaction goes on with the others.
                context.unreadable.insert(.scheduled(message), because: reason)
                continue
            }
            guard let waiting else {
                // A row without its message must not delay the messages after it.
                try tables.schedule.delete(message, due: due, in: &transaction)
                continue
            }
            var progress = waiting.progress
            let outbound = try move(message, progress: &progress, now: now, in: &transaction)
            try tables.progress.put(progress, for: message, in: &transaction)
            bytes += waiting.bytes
            if let outbound { released.append(outbound) }
        }
        let next = try tables.schedule.first(in: transaction, where: mayRelease)?.due
        return .released(released, next: next)
    }

    private func mayRelease(_ message: MessageID) -> Bool { !context.unreadable.contains(.scheduled(message)) }

    /// Returns the message of a row of the schedule, and the cost of its release in bytes; nil if no message is
    /// scheduled for that time.
    private func scheduledMessage(
        _ message: MessageID, at due: Timestamp, in transaction: borrowing WriteTransaction
    ) throws -> (progress: MessageProgress, bytes: Int)? {
        guard let progress = try tables.progress.get(message, in: transaction), progress.hold == .scheduled,
            progress.sendAt == due
        else { return nil }
        guard let record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        let chunkCount = try context.ids.chunkCount(of: record.content.app, in: transaction)
        let counting = record.live?.audience.countingBytes(chunkCount: chunkCount) ?? 0
        return (progress, MessageTable.bodyBytes(record.content) + counting)
    }

    /// Moves a message whose time has come to the outbox. If a row that it needs is corrupt, this transaction is
    /// aborted, and the next one skips the message.
    private func move(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> OutboundMessage? {
        do {
            return try context.outbox.move(message, progress: &progress, now: now, in: &transaction)
        } catch {
            guard case .corrupted(let reason) = RegistryError(reading: error) else { throw error }
            context.unreadable.insert(.scheduled(message), because: reason)
            throw error
        }
    }
}
