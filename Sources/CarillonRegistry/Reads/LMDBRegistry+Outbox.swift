package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// The queues that have unfinished messages. Messages of an app with an unreadable record wait for an operator.
    package func outboxQueues() throws(RegistryError) -> Set<OutboxQueue> {
        try briefRead { transaction, layout in
            var apps: [AppNumber: AppID] = [:]
            try layout.apps.forEach(
                in: transaction, onUnreadable: { key, reason in self.onUnreadable("a row of apps: \(reason)") }
            ) { app, record in apps[record.number] = app }
            return Set(
                try layout.outbox.queues(in: transaction).compactMap { queue in
                    guard let app = apps[queue.app] else {
                        onUnreadable("outbox: messages of app number \(queue.app), which is unknown")
                        return nil
                    }
                    return OutboxQueue(lane: queue.lane, app: app)
                }
            )
        }
    }

    /// Unfinished messages of a queue, by id, after `message`; looks at no more than `limit`.
    package func unfinishedMessages(
        in queue: OutboxQueue,
        after message: MessageID?,
        limit: Int
    ) throws(RegistryError) -> OutboxPage {
        try briefRead { transaction, layout in
            guard let app = try layout.apps.get(queue.app, in: transaction)?.number else {
                return OutboxPage(isEnd: true)
            }
            let stored = OutboxTable.Queue(lane: queue.lane, app: app)
            let ids = try layout.outbox.messages(queue: stored, after: message, limit: limit, in: transaction)
            var page = OutboxPage(last: ids.last, isEnd: ids.count < limit)
            for id in ids {
                do throws(RegistryError) {
                    page.entries.append(try Self.entry(id, layout: layout, in: transaction))
                } catch .corrupted(let reason) {
                    page.unreadable.append(UnreadableMessage(id: id, reason: reason))
                }
            }
            return page
        }
    }

    private static func entry(
        _ id: MessageID, layout: Layout, in transaction: borrowing ReadTransaction
    ) throws(RegistryError) -> OutboxEntry {
        do {
            guard let record = try layout.messages.get(id, in: transaction),
                let progress = try layout.progress.get(id, in: transaction)
            else { throw RegistryError.corrupted("outbox: a message that is not there") }
            return OutboxEntry(id, record: record, progress: progress)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// The first page at or after `page` that has pending recipients; see `Registry.nextPage`.
    package func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage? {
        try briefRead { try self.page(page, of: message, isNext: true, layout: $1, in: $0) }
    }

    /// A page read again: those that are still pending; nil if there is no such page, or the message has finished.
    package func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage? {
        try briefRead { try self.page(page, of: message, isNext: false, layout: $1, in: $0) }
    }

    /// Lets the writer read a page; see `Registry.submitPageRead`.
    package func submitPageRead(
        of message: MessageID, page: UInt32, isNext: Bool,
        completion: @escaping @Sendable (Result<RecipientPage?, RegistryError>) -> Void
    ) {
        let read = WriterRead(
            needs: .sets,
            run: { [self] transaction, layout, _ in
                do {
                    completion(
                        .success(
                            try self.page(page, of: message, isNext: isNext, layout: layout, in: transaction)))
                } catch {
                    completion(.failure(RegistryError(reading: error)))
                }
            }, fail: { completion(.failure($0)) })
        guard !queue.append(read) else { return }
        // The writer has ended.
        completion(
            Result { () throws(RegistryError) in
                isNext ? try nextPage(of: message, from: page) : try pendingRecipients(of: message, page: page)
            })
    }

    private func page(
        _ page: UInt32, of message: MessageID, isNext: Bool, layout: Layout, in transaction: borrowing ReadTransaction
    ) throws -> RecipientPage? {
        guard var reader = try PageReader(message, now: wallClock(), layout: layout, in: transaction) else {
            return nil
        }
        return isNext ? try reader.next(from: page, in: transaction) : try reader.page(page, in: transaction)
    }
}
