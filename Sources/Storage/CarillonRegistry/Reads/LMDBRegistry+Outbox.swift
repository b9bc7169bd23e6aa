package import CarillonCore
import CarillonLMDB

/// The reads of the outbox, and pages of recipients for delivery.
extension LMDBRegistry {
    /// Returns the queues that have unfinished messages. Messages of an app with an unreadable record wait for an
    /// operator.
    package func outboxQueues() throws(RegistryError) -> Set<OutboxQueue> {
        try readCurrent { transaction, tables in
            var apps: [AppNumber: AppID] = [:]
            try tables.apps.forEach(
                in: transaction, onUnreadable: { key, reason in self.onUnreadable("a row of apps: \(reason)") }
            ) { app, record in apps[record.number] = app }
            return Set(
                try tables.outbox.queues(in: transaction).compactMap { queue in
                    guard let app = apps[queue.app] else {
                        onUnreadable("outbox: messages of app number \(queue.app), which is unknown")
                        return nil
                    }
                    return OutboxQueue(lane: queue.lane, app: app)
                }
            )
        }
    }

    /// Returns the time at which the next scheduled message is due; nil if none is scheduled.
    package func nextScheduled() throws(RegistryError) -> Timestamp? {
        try readCurrent { transaction, tables in try tables.schedule.first(in: transaction)?.due }
    }

    /// Returns the statistics of the outbox. LMDB keeps these numbers; only the list of free pages is read.
    package func outboxStatistics() throws(RegistryError) -> OutboxStatistics {
        let freeBytes = try withEnvironment { environment, _ in
            try environment.countFreePages() * environment.space().pageBytes
        }
        return try readCurrent { transaction, tables in
            OutboxStatistics(
                messages: try transaction.count(in: tables.messages.database),
                toSend: try transaction.count(in: tables.outbox.database),
                scheduled: try transaction.count(in: tables.schedule.database), freeBytes: freeBytes)
        }
    }

    /// Returns the unfinished messages of a queue, by id, after `message`; looks at no more than `limit`.
    package func unfinishedMessages(
        in queue: OutboxQueue,
        after message: MessageID?,
        limit: Int
    ) throws(RegistryError) -> OutboxPage {
        try readCurrent { transaction, tables in
            guard let app = try tables.apps.get(queue.app, in: transaction)?.number else {
                return OutboxPage(isEnd: true)
            }
            let stored = OutboxTable.StoredQueue(lane: queue.lane, app: app)
            let ids = try tables.outbox.messages(queue: stored, after: message, limit: limit, in: transaction)
            var page = OutboxPage(last: ids.last, isEnd: ids.count < limit)
            for id in try ownMessages(of: ids, tables: tables, in: transaction) {
                do throws(RegistryError) {
                    let outbound = try Self.outbound(id, tables: tables, in: transaction)
                    let own = try addingOwnShare(to: outbound, tables: tables, in: transaction)
                    if let own { page.messages.append(own) }
                } catch .corrupted(let reason) {
                    page.unreadable.append(UnreadableMessage(id: id, reason: reason))
                }
            }
            return page
        }
    }

    private static func outbound(
        _ id: MessageID, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws(RegistryError) -> OutboundMessage {
        do {
            guard let record = try tables.messages.get(id, in: transaction),
                let progress = try tables.progress.get(id, in: transaction)
            else { throw RegistryError.corrupted("outbox: message \(id) has no row in messages or progress") }
            return OutboundMessage(id, record: record, progress: progress)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Returns the first page at or after `page` that has pending recipients; see `OutboxReads.nextPage`.
    package func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage? {
        let search = try readCurrent { transaction, tables in
            try self.search(
                message, from: page, maximumSteps: maximumWriterSearchSteps, tables: tables, in: transaction)
        }
        guard case .unfinished(let from) = search else { return search.page }
        return try readAfterCheckpoint { try self.search(message, from: from, tables: $1, in: $0).page }
    }

    /// Reads a page again, with the recipients that are still pending; nil if there is no such page, or if the message
    /// is finished.
    package func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage? {
        try readCurrent { try self.pendingRecipients(of: message, page: page, tables: $1, in: $0) }
    }

    /// Submits a read of a page to the writer; see `OutboxReads.submitPageRead`.
    package func submitPageRead(
        of message: MessageID, page: UInt32, isNext: Bool, completion: @escaping @Sendable (@escaping PageRead) -> Void
    ) {
        let read = WriterRead(
            principal: WriterRead.serverPrincipal,
            needs: .page(of: message),
            run: { [self] transaction, tables, _ in
                do {
                    guard isNext else {
                        let pending = try pendingRecipients(of: message, page: page, tables: tables, in: transaction)
                        return completion { pending }
                    }
                    let search = try self.search(
                        message, from: page, maximumSteps: maximumWriterSearchSteps, tables: tables, in: transaction)
                    guard case .unfinished(let from) = search else { return completion { search.page } }
                    searchAfterCheckpoint(message, from: from, completion)
                } catch {
                    let error = RegistryError(reading: error)
                    completion { () throws(RegistryError) in throw error }
                }
            }, fail: { error in completion { () throws(RegistryError) in throw error } })
        guard !queue.append(read) else { return }
        // The writer has ended.
        completion { [self] () throws(RegistryError) in
            isNext ? try nextPage(of: message, from: page) : try pendingRecipients(of: message, page: page)
        }
    }

    /// Goes on with a search that is too long for the writer. It reads a snapshot, after a checkpoint has made one that
    /// shows every change that is answered now. No thread waits for that.
    private func searchAfterCheckpoint(
        _ message: MessageID, from page: UInt32, _ completion: @escaping @Sendable (@escaping PageRead) -> Void
    ) {
        let search: PageRead = { [self] () throws(RegistryError) in
            try withEnvironment { environment, tables in
                try environment.read { try self.search(message, from: page, tables: tables, in: $0).page }
            }
        }
        let isWaiting = readGate.waitIfClosed { error in
            completion { () throws(RegistryError) in
                if let error { throw error }
                return try search()
            }
        }
        if isWaiting { queue.wake() } else { completion(search) }
    }

    private func search(
        _ message: MessageID, from page: UInt32, maximumSteps: Int = .max, tables: Tables,
        in transaction: borrowing ReadTransaction
    ) throws -> PageReader.SearchResult {
        guard var reader = try PageReader(message, now: wallClock(), tables: tables, in: transaction) else {
            return .exhausted
        }
        return try reader.next(from: page, maximumSteps: maximumSteps, in: transaction)
    }

    private func pendingRecipients(
        of message: MessageID, page: UInt32, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> RecipientPage? {
        guard var reader = try PageReader(message, now: wallClock(), tables: tables, in: transaction) else {
            return nil
        }
        return try reader.page(page, in: transaction)
    }
}
