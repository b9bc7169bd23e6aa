import CarillonCore
import CarillonLMDB

/// Writes events, in the transaction of the change that they report, and keeps their number within the limit.
///
/// It belongs to the writer thread.
final class EventWriter {
    private let tables: Tables
    /// The number of the newest event; nil until it is read.
    private var lastSequence: UInt64?
    private var hasUncommittedEvents = false
    /// True if an event was written since the last `takeNewestSequence`.
    private var hasUnreportedEvents = false
    /// The number of events since the last call of `removeExcess`.
    private var changeEventCount = 0

    /// The most failures of one outcome record, or of one SEND, that get an event each. If there are more, each outcome
    /// gets one event, with the number of its failures.
    static let maximumFailures = 64

    init(tables: Tables) {
        self.tables = tables
    }

    /// Gives an event its number and writes it. A text that is too long is cut.
    func append(_ event: Event, in transaction: inout WriteTransaction) throws {
        let (next, overflows) = try newestSequence(in: transaction).addingReportingOverflow(1)
        guard !overflows else { throw RegistryError.corrupted("meta: no number for an event left") }
        var event = event
        event.sequence = next
        if let text = event.text, text.utf8.count > EventTable.maximumTextBytes {
            // If the cut is inside a character, U+FFFD takes its place, which is three bytes long.
            event.text = String(decoding: text.utf8.prefix(EventTable.maximumTextBytes - 3), as: UTF8.self)
        }
        try tables.events.append(event, in: &transaction)
        lastSequence = next
        hasUncommittedEvents = true
        hasUnreportedEvents = true
        changeEventCount += 1
    }

    /// Writes the events of deliveries of a message that failed: one each, or one for each outcome if they are many.
    func appendFailures(
        _ failures: [(device: DeviceID?, outcome: Outcome)],
        of message: MessageID,
        app: AppID,
        at now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        func makeEvent(_ outcome: Outcome) -> Event {
            Event(at: now, kind: .deliveryFailed, app: app, message: message, outcome: outcome)
        }
        guard failures.count > Self.maximumFailures else {
            for failure in failures {
                var event = makeEvent(failure.outcome)
                event.device = failure.device
                try append(event, in: &transaction)
            }
            return
        }
        var counts = OutcomeCounts()
        for failure in failures { counts.add(failure.outcome.rawValue) }
        for element in counts.elements {
            var event = makeEvent(Outcome(rawValue: element.outcome))
            event.count = element.count
            try append(event, in: &transaction)
        }
    }

    /// Returns the number of the last event; 0 before the first.
    func newestSequence(in transaction: borrowing WriteTransaction) throws -> UInt64 {
        if let lastSequence { return lastSequence }
        let stored = try tables.meta.lastEvent(in: transaction)
        lastSequence = stored
        return stored
    }

    /// Removes about `limit` of the oldest events, and with a bound only events from before it. Returns the number of
    /// events that it has removed.
    func removeOld(before bound: Timestamp?, limit: Int, in transaction: inout WriteTransaction) throws -> Int {
        var removed = 0
        while removed < limit {
            let oldest: [UInt64]
            if let bound {
                oldest = try tables.events.oldest(before: bound, in: transaction)
            } else {
                oldest = try tables.events.oldestNumber(in: transaction)
            }
            if oldest.isEmpty { break }
            for sequence in oldest { try tables.events.delete(sequence, in: &transaction) }
            removed += oldest.count
        }
        return removed
    }

    /// Makes room if there are too many events. Call it after each change.
    ///
    /// - Parameter limit: the most events that are kept.
    func removeExcess(over limit: Int, in transaction: inout WriteTransaction) throws {
        guard changeEventCount > 0 else { return }
        // At most twice as many events are removed as came. So a change does not wait long, and a limit that was
        // lowered is still reached in time.
        let excess = min(try transaction.count(in: tables.events.database) - max(1, limit), 2 * changeEventCount)
        changeEventCount = 0
        guard excess > 0 else { return }
        _ = try removeOld(before: nil, limit: excess, in: &transaction)
    }

    /// True if events were written since the last call of `removeExcess`.
    var needsRoom: Bool { changeEventCount > 0 }

    /// Writes the last number; before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        guard hasUncommittedEvents, let lastSequence else { return }
        try tables.meta.putLastEvent(lastSequence, in: &transaction)
    }

    /// Returns the number of the newest event, if one was written since the last call; nil otherwise.
    func takeNewestSequence() -> UInt64? {
        defer { hasUnreportedEvents = false }
        return hasUnreportedEvents ? lastSequence : nil
    }

    func transactionCommitted() { hasUncommittedEvents = false }

    /// Forgets the number of the last event, because the transaction was aborted.
    func transactionAborted() {
        lastSequence = nil
        hasUncommittedEvents = false
        changeEventCount = 0
    }
}
