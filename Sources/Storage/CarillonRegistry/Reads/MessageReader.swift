package import CarillonCore
import CarillonLMDB

/// A reader of the stored parts of one message: its content, the outcomes of its recipients, and its receipts.
struct MessageReader {
    private let message: MessageID
    private let progress: MessageProgress
    private let tables: Tables

    /// Makes a reader; nil if the app has no such message.
    init?(_ message: MessageID, app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number,
            let progress = try tables.progress.get(message, in: transaction), progress.app == number
        else { return nil }
        self.message = message
        self.progress = progress
        self.tables = tables
    }

    func content(in transaction: borrowing ReadTransaction) throws -> MessageContent? {
        try tables.messages.get(message, in: transaction)?.content
    }

    func details(in transaction: borrowing ReadTransaction) throws -> MessageDetails {
        guard let record = try tables.messages.get(message, in: transaction) else {
            throw RegistryError.corrupted("messages: a content is missing")
        }
        return MessageDetails(
            key: record.key, content: record.content, notAfter: record.notAfter, lane: record.lane,
            isCancelled: progress.isCancelled, excluded: record.live?.excluded ?? [],
            delayedCount: try tables.delays.count(message, in: transaction))
    }

    /// Returns a page of the devices with a receipt of that kind; `cursor` is the first id that is looked for.
    func receipts(
        _ kind: ReceiptKind, cursor: UInt64, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> DeviceIDPage {
        var page = DeviceIDPage.empty
        guard cursor < AppTable.deviceBound else { return page }
        let first = DeviceID(rawValue: cursor)
        let limit = RegistryLimits.pageLimit(limit)
        let rowKey = ReceiptTable.RowKey(message: message, kind: kind, chunk: first.chunk)
        try tables.receipts.forEach(from: rowKey, in: transaction) { chunk, bits in
            page.fill(with: bits, of: chunk, from: first, limit: limit)
        }
        return page
    }

    // MARK: Outcomes

    /// Returns a page of at most `limit` recipients, which is taken as 1 to 4,096.
    ///
    /// The cursor is the number of recipients before the page; of a live audience, the first device id that is looked
    /// for.
    func outcomes(
        cursor: UInt64, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> RecipientOutcomePage {
        let limit = UInt64(RegistryLimits.pageLimit(limit))
        return progress.isLive
            ? try liveOutcomes(cursor: cursor, limit: limit, in: transaction)
            : try listedOutcomes(cursor: cursor, limit: limit, in: transaction)
    }

    /// Returns the recipients of the fixed pages of a live audience.
    private func liveOutcomes(
        cursor: UInt64, limit: UInt64, in transaction: borrowing ReadTransaction
    ) throws -> RecipientOutcomePage {
        var result = RecipientOutcomePage(next: 0, recipients: [])
        guard cursor < AppTable.deviceBound else { return result }
        let first = DeviceID(rawValue: cursor)
        try tables.outcomes.forEachLive(message, from: first.chunk, in: transaction) { page, outcomes in
            for offset in outcomes.addressed {
                let id = DeviceID(chunk: page, offset: offset)
                guard id >= first else { continue }
                guard result.recipients.count < limit else {
                    result.next = id.rawValue
                    return .stop
                }
                let outcome = Outcome(rawValue: outcomes[offset])
                result.recipients.append(RecipientOutcome(device: id, outcome: outcome))
            }
            return .proceed
        }
        return result
    }

    private static let pageSize = UInt64(RegistryLimits.recipientsPerPage)

    private func listedOutcomes(
        cursor: UInt64, limit: UInt64, in transaction: borrowing ReadTransaction
    ) throws -> RecipientOutcomePage {
        let total = progress.counts.total
        var result = RecipientOutcomePage(next: 0, recipients: [])
        guard cursor < total else { return result }
        let end = min(total, cursor + limit)
        var position = cursor
        while position < end {
            let pageStart = position / Self.pageSize * Self.pageSize
            let outcomes = try readOutcomes(ofPage: UInt32(clamping: position / Self.pageSize), in: transaction)
            let first = Int(position - pageStart)
            guard first < outcomes.count else { throw RegistryError.corrupted("recipients: fewer than counted") }
            let range = first..<min(Int(end - pageStart), outcomes.count)
            result.recipients.append(contentsOf: outcomes[range])
            position += UInt64(range.count)
        }
        if end < total { result.next = end }
        return result
    }

    private func readOutcomes(
        ofPage page: UInt32, in transaction: borrowing ReadTransaction
    ) throws -> [RecipientOutcome] {
        guard let ids = try tables.recipients.get(message, page: page, in: transaction),
            let outcomes = try tables.outcomes.get(message, page: page, in: transaction), ids.count == outcomes.count
        else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
        return zip(ids, outcomes).map { id, outcome in
            RecipientOutcome(device: id == 0 ? nil : DeviceID(rawValue: id), outcome: Outcome(rawValue: outcome))
        }
    }
}

/// The stored parts of a message that its status lacks.
package struct MessageDetails: Hashable, Sendable {
    /// The idempotency key of the message; nil if the sender gave none.
    package let key: UUIDBytes?
    package let content: MessageContent
    /// The time after which no attempt starts; nil if the message sets no such time.
    package let notAfter: Timestamp?
    package let lane: Lane
    package let isCancelled: Bool
    /// The devices that are left out of its audience.
    package let excluded: [DeviceID]
    package let delayedCount: UInt64
}
