package import CarillonCluster
package import CarillonCore
import CarillonLMDB

/// The messages that this node sends, and the messages that it may claim. A registry without a cluster sends all
/// messages.
extension LMDBRegistry {
    /// Returns a message of the outbox as this node sends it; nil if the node does not send it. Unchanged without a
    /// cluster.
    func ownPart(
        of entry: OutboundMessage, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> OutboundMessage? {
        guard let exchange else { return entry }
        guard let applied = exchange.appliedState, let member = applied.member else { return nil }
        return try tables.part(of: entry, by: member.incarnation, among: applied.record.live, in: transaction)
    }

    /// Returns the messages that this node holds, whole or in part; without a cluster, all of them.
    func ownMessages(
        of messages: [MessageID], tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [MessageID] {
        guard let exchange else { return messages }
        guard let applied = exchange.appliedState, let member = applied.member, let claims = tables.claims else {
            return []
        }
        let live = applied.record.live
        return try messages.filter {
            try claims.get($0, in: transaction)?.claims.maySendAny(by: member.incarnation, among: live) == true
        }
    }

    /// The most messages that one read of a queue returns.
    private static let messagesPerRead = 256

    /// Returns messages of the outbox that this node may claim, whole or in part, by queue and id; looks at about
    /// `limit` of each queue at most. Empty without a cluster.
    package func freeMessages(limit: Int) throws(RegistryError) -> [FreeMessage] {
        guard let exchange, let applied = exchange.appliedState, let member = applied.member else { return [] }
        let live = applied.record.live
        return try readCurrent { transaction, tables in
            var free: [FreeMessage] = []
            for queue in try tables.outbox.queues(in: transaction) {
                var last: MessageID?
                var searched = 0
                while searched < limit, free.count < limit {
                    let messages = try tables.outbox.messages(
                        queue: queue, after: last, limit: min(Self.messagesPerRead, limit), in: transaction)
                    for message in messages {
                        if let found = try tables.free(message, for: member.incarnation, among: live, in: transaction) {
                            free.append(found)
                        }
                    }
                    guard let end = messages.last else { break }
                    (last, searched) = (end, searched + messages.count)
                }
            }
            return free
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
}

extension Tables {
    /// Returns what the member may claim of a message; nil if it may claim nothing of it.
    fileprivate func free(
        _ message: MessageID, for member: UInt64, among live: LiveMembers, in transaction: borrowing ReadTransaction
    ) throws -> FreeMessage? {
        guard let table = claims else { return nil }
        // A message of a server that had no cluster has no row.
        guard let row = try table.get(message, in: transaction) else { return .whole(message) }
        let claimable = row.claims.claimablePages(by: member, among: live)
        guard claimable > 0 else { return nil }
        if row.claims.isShared {
            guard let record = try messages.get(message, in: transaction),
                let progress = try self.progress.get(message, in: transaction)
            else { return nil }
            var entry = OutboundMessage(message, record: record, progress: progress)
            entry.share = PageShare(of: record, with: progress)
            return .shared(entry, pagesLeft: claimable)
        }
        guard let app = row.silentApp else { return .whole(message) }
        let sender = try table.silentPushClaim(of: app, in: transaction)
        return SilentPushClaim.mayClaim(sender, by: member, among: live) ? .whole(message) : nil
    }
}
