import CarillonCore
import CarillonLMDB

/// Finds the messages of an app that a filter admits, the newest first.
struct MessageSearch {
    private let filter: MessageFilter
    private let app: AppNumber
    private let tables: Tables

    /// Makes a search; nil if there is no such app.
    init?(
        of app: AppID, filter: MessageFilter, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number else { return nil }
        self.app = number
        self.filter = filter
        self.tables = tables
    }

    /// Returns the messages before `message`; at most `limit`, looking at no more than
    /// `RegistryLimits.messagesPerRead`.
    func page(
        before message: MessageID?, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> MessageSummaryPage {
        var page = MessageSummaryPage(next: nil, rows: [])
        let limit = RegistryLimits.pageLimit(limit)
        let examined = filter.isEmpty ? limit : RegistryLimits.messagesPerRead
        let ids = try tables.appMessages.messages(app: app, before: message, limit: examined, in: transaction)
        for id in ids {
            guard let row = try summary(of: id, in: transaction) else { continue }
            page.rows.append(row)
            guard page.rows.count < limit else {
                page.next = id
                return page
            }
        }
        if ids.count == examined { page.next = ids.last }
        return page
    }

    /// Returns the row of a message; nil if the filter does not admit it.
    private func summary(of id: MessageID, in transaction: borrowing ReadTransaction) throws -> MessageSummary? {
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
}
