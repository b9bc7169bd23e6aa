package import CarillonCore
import CarillonLMDB

/// The lists of messages, receipts and outcomes.
extension LMDBRegistry {
    /// Returns the messages of an app that `filter` admits, the newest first, before `message`; at most `limit`.
    package func messages(
        of app: AppID,
        before message: MessageID?,
        limit: Int,
        filter: MessageFilter = MessageFilter()
    ) throws(RegistryError) -> MessageSummaryPage {
        try readAfterCheckpoint { transaction, tables in
            var page = MessageSummaryPage(next: nil, rows: [])
            guard let app = try tables.apps.get(app, in: transaction)?.number else { return page }
            let limit = Self.pageLimit(limit)
            let examined = filter.isEmpty ? limit : RegistryLimits.messagesPerRead
            let ids = try tables.appMessages.messages(app: app, before: message, limit: examined, in: transaction)
            for id in ids {
                guard let row = try Self.summary(of: id, filter, tables: tables, in: transaction) else { continue }
                page.rows.append(row)
                guard page.rows.count < limit else {
                    page.next = id
                    return page
                }
            }
            if ids.count == examined { page.next = ids.last }
            return page
        }
    }

    /// Returns the row of a message; nil if the filter does not admit it.
    private static func summary(
        of id: MessageID, _ filter: MessageFilter, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> MessageSummary? {
        var metadata: MessageMetadata?
        if filter.readsMetadata {
            let read = try tables.messageMetadata.get(id, in: transaction)
            guard filter.admits(read) else { return nil }
            metadata = read
        }
        guard let progress = try tables.progress.get(id, in: transaction) else {
            throw RegistryError.corrupted("appmessages: message \(id) has no row in progress")
        }
        guard filter.admits(progress.state) else { return nil }
        let shown = try metadata ?? tables.messageMetadata.get(id, in: transaction)
        let delivered = progress.counts[.delivered]
        return MessageSummary(
            id: id, state: progress.state, acceptedAt: progress.acceptedAt, pushType: progress.pushType,
            lane: progress.lane, total: progress.total, ended: progress.ended, delivered: delivered,
            failed: progress.ended - delivered, label: shown.label, sender: shown.sender)
    }

    /// Returns a page of the devices with a receipt of that kind for a message; `cursor` is the first id that is looked
    /// for.
    package func receipts(
        of message: MessageID,
        app: AppID,
        kind: ReceiptKind,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> DeviceIDPage? {
        try readAfterCheckpoint { transaction, tables in
            guard try Self.progress(of: message, app: app, tables: tables, in: transaction) != nil else { return nil }
            var page = DeviceIDPage(next: 0, devices: [])
            guard cursor < AppTable.deviceBound else { return page }
            let first = DeviceID(rawValue: cursor)
            let limit = Self.pageLimit(limit)
            let rowKey = ReceiptTable.RowKey(message: message, kind: kind, chunk: first.chunk)
            try tables.receipts.forEach(from: rowKey, in: transaction) { chunk, bits in
                Self.fill(&page, chunk: chunk, bits: bits, from: first, limit: limit)
            }
            return page
        }
    }

    /// Returns a page of at most `limit` recipients, which is taken as at least 1 and at most 4,096.
    ///
    /// The cursor is the number of recipients before the page; of a live audience, the first device id that is looked
    /// for.
    package func outcomes(
        of message: MessageID,
        app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage? {
        try readAfterCheckpoint { transaction, tables in
            guard let progress = try Self.progress(of: message, app: app, tables: tables, in: transaction) else {
                return nil
            }
            let limit = UInt64(min(max(1, limit), RegistryLimits.recipientsPerPage))
            if progress.isLive {
                return try Self.liveOutcomes(of: message, cursor: cursor, limit: limit, tables: tables, in: transaction)
            }
            let total = progress.counts.total
            var result = RecipientOutcomePage(next: 0, recipients: [])
            guard cursor < total else { return result }
            let end = min(total, cursor + limit)
            var position = cursor
            while position < end {
                let pageStart = position / Self.pageSize * Self.pageSize
                let outcomes = try Self.pageOutcomes(
                    of: message,
                    page: UInt32(clamping: position / Self.pageSize),
                    tables: tables,
                    in: transaction
                )
                let first = Int(position - pageStart)
                guard first < outcomes.count else { throw RegistryError.corrupted("recipients: fewer than counted") }
                let range = first..<min(Int(end - pageStart), outcomes.count)
                result.recipients.append(contentsOf: outcomes[range])
                position += UInt64(range.count)
            }
            if end < total { result.next = end }
            return result
        }
    }

    /// Returns the recipients of the fixed pages of a live audience.
    private static func liveOutcomes(
        of message: MessageID, cursor: UInt64, limit: UInt64, tables: Tables, in transaction: borrowing ReadTransaction
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

    private static func progress(
        of message: MessageID, app: AppID, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> MessageProgress? {
        guard let number = try tables.apps.get(app, in: transaction)?.number,
            let progress = try tables.progress.get(message, in: transaction), progress.app == number
        else { return nil }
        return progress
    }

    private static func pageOutcomes(
        of message: MessageID, page: UInt32, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [RecipientOutcome] {
        guard let ids = try tables.recipients.get(message, page: page, in: transaction),
            let outcomes = try tables.outcomes.get(message, page: page, in: transaction), ids.count == outcomes.count
        else { throw RegistryError.corrupted("recipients: a page does not fit its outcomes") }
        return zip(ids, outcomes).map { id, outcome in
            RecipientOutcome(device: id == 0 ? nil : DeviceID(rawValue: id), outcome: Outcome(rawValue: outcome))
        }
    }
}
