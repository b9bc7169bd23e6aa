package import CarillonCluster
package import CarillonCore
import CarillonLMDB

/// Reads unfinished messages and their recipients (`OutboxReads`), and the messages that a node may claim.
extension LMDBRegistry {
    /// Returns the queues that have unfinished messages. Messages of an app with an unreadable record wait for an
    /// operator.
    package func outboxQueues() throws(RegistryError) -> Set<OutboxQueue> {
        try readCurrent { transaction, tables in
            try OutboxReader(sender: OutboxReader.Sender(exchange), tables: tables)
                .queues(onUnreadable: onUnreadable, in: transaction)
        }
    }

    /// Returns the time at which the next scheduled message is due; nil if none is scheduled.
    package func nextScheduled() throws(RegistryError) -> Timestamp? {
        try readCurrent { transaction, tables in try tables.schedule.first(in: transaction)?.due }
    }

    package func unfinishedMessages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int
    ) throws(RegistryError) -> OutboxPage {
        try readCurrent { transaction, tables in
            try OutboxReader(sender: OutboxReader.Sender(exchange), tables: tables)
                .messages(in: queue, after: message, limit: limit, in: transaction)
        }
    }

    // MARK: Claims

    /// Returns messages of the outbox that this node may claim, whole or in part, by queue and id; looks at about
    /// `limit` of each queue at most. Empty without a cluster.
    package func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage] {
        guard case .member(let member, let live) = OutboxReader.Sender(exchange) else { return [] }
        return try readCurrent { transaction, tables in
            try ClaimSearch(member: member, live: live, tables: tables).messages(limit: limit, in: transaction)
        }
    }

    /// Counts the claims of each live member in the oldest messages, at most `limit` of them. They are read from the
    /// last checkpoint, which is new enough for operators, so that the writer is not held up. Empty without a cluster.
    package func claimCounts(limit: Int) throws(RegistryError) -> ClaimCounts {
        var counts = ClaimCounts(exchange?.appliedState?.record.live ?? LiveMembers())
        guard exchange != nil else { return counts }
        return try readWithoutWaiting { transaction, tables in
            try tables.claims?.forEach(limit: limit, in: transaction) { _, claims in counts.add(claims) }
            return counts
        }
    }

    // MARK: Pages of recipients

    /// Returns the first page at or after `page` that has pending recipients; see `OutboxReads.nextPage`.
    package func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage? {
        let search = try readCurrent { transaction, tables in
            try self.findNextPage(
                message, from: page, maximumSteps: maximumWriterSearchSteps, tables: tables, in: transaction)
        }
        guard case .unfinished(let from) = search else { return search.page }
        return try readAfterCheckpoint { try self.findNextPage(message, from: from, tables: $1, in: $0).page }
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
                    let found = try findNextPage(
                        message, from: page, maximumSteps: maximumWriterSearchSteps, tables: tables, in: transaction)
                    guard case .unfinished(let from) = found else { return completion { found.page } }
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
                try environment.read { try self.findNextPage(message, from: page, tables: tables, in: $0).page }
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

    private func findNextPage(
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
        return try reader.readPage(page, in: transaction)
    }
}
