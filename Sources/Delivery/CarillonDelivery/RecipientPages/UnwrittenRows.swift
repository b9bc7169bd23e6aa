import CarillonCore

/// The rows of a page that are not on disk: the rows for its next record, and the rows of records that are being
/// written.
struct UnwrittenRows {
    /// The recipients that the page addresses, as it was first read; nil for a list. The first record fixes them on
    /// disk.
    private let addressed: AddressedChunk?
    private var endedRecipients: [OutcomeRecord.EndedRecipient] = []
    private var delays: [OutcomeRecord.Delay] = []
    private var attempts: [OutcomeRecord.RecordedAttempt] = []
    /// The number of `endedRecipients` that ended while they waited for a pool.
    private var gaveUpWaitingCount = 0
    /// The number of rows of records that are being written.
    private var inWriting = 0

    init(addressed: AddressedChunk?) {
        self.addressed = addressed
    }

    /// The number of rows that are not in a record yet.
    var count: Int { endedRecipients.count + delays.count + attempts.count }

    /// The number of rows that are not on disk.
    var total: Int { count + inWriting }

    /// Adds an outcome.
    ///
    /// - Parameter wasWaiting: true if the recipient ended without an answer of the provider, while it waited for a
    ///   pool.
    mutating func append(_ recipient: OutcomeRecord.EndedRecipient, wasWaiting: Bool) {
        endedRecipients.append(recipient)
        if wasWaiting { gaveUpWaitingCount += 1 }
    }

    /// Adds the time of a recipient's next attempt.
    mutating func append(_ delay: OutcomeRecord.Delay) { delays.append(delay) }

    mutating func append(_ attempt: OutcomeRecord.RecordedAttempt) { attempts.append(attempt) }

    /// Returns the rows to write, as one record; nil if the page has none. `rowsRecorded` must follow.
    mutating func takeRecord(_ key: PageKey, firstPendingPage: UInt32) -> OutcomeRecord? {
        guard count > 0 else { return nil }
        defer {
            gaveUpWaitingCount = 0
            endedRecipients.removeAll()
            delays.removeAll()
            attempts.removeAll()
        }
        let record = OutcomeRecord(
            message: key.message, page: key.page, endedRecipients: endedRecipients, delays: delays, attempts: attempts,
            addressed: addressed, firstPendingPage: firstPendingPage, gaveUpWaitingCount: gaveUpWaitingCount)
        inWriting += record.count
        return record
    }

    /// Counts rows of records that are on disk, or never will be.
    mutating func rowsRecorded(_ count: Int) {
        inWriting -= min(count, inWriting)
    }
}
