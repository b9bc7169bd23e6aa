import CarillonCluster
import CarillonCore
import CarillonLMDB

/// Finds the messages of the outbox that a member of a cluster may claim, whole or in part.
struct ClaimSearch {
    /// The incarnation of the member.
    let member: UInt64
    let live: LiveMembers
    let tables: Tables

    /// The most messages that one read of a queue returns.
    private static let maximumMessagesPerRead = 256

    /// Returns about `limit` messages at most, by queue and id; looks at about `limit` messages of each queue at most.
    func messages(limit: Int, in transaction: borrowing ReadTransaction) throws -> [ClaimableMessage] {
        var claimable: [ClaimableMessage] = []
        for queue in try tables.outbox.queues(in: transaction) {
            try findMessages(in: queue, limit: limit, into: &claimable, in: transaction)
        }
        return claimable
    }

    private func findMessages(
        in queue: OutboxTable.StoredQueue, limit: Int, into claimable: inout [ClaimableMessage],
        in transaction: borrowing ReadTransaction
    ) throws {
        var last: MessageID?
        var searched = 0
        while searched < limit, claimable.count < limit {
            let messages = try tables.outbox.messages(
                queue: queue, after: last, limit: min(Self.maximumMessagesPerRead, limit), in: transaction)
            for message in messages {
                if let found = try claimablePart(of: message, in: transaction) { claimable.append(found) }
            }
            guard let end = messages.last else { return }
            last = end
            searched += messages.count
        }
    }

    /// Returns what the member may claim of a message; nil if it may claim nothing of it.
    private func claimablePart(
        of message: MessageID, in transaction: borrowing ReadTransaction
    ) throws -> ClaimableMessage? {
        guard let table = tables.claims else { return nil }
        // A message of a server that had no cluster has no row.
        guard let row = try table.get(message, in: transaction) else { return .whole(message) }
        let claimable = row.claims.claimablePages(by: member, among: live)
        guard claimable > 0 else { return nil }
        if row.claims.isShared {
            guard let record = try tables.messages.get(message, in: transaction),
                let progress = try tables.progress.get(message, in: transaction)
            else { return nil }
            var outbound = OutboundMessage(message, record: record, progress: progress)
            outbound.share = PageShare(of: record, with: progress)
            return .shared(outbound, pagesLeft: claimable)
        }
        guard let app = row.silentPushApp else { return .whole(message) }
        let sender = try table.silentPushClaim(of: app, in: transaction)
        return SilentPushClaim.mayClaim(sender, by: member, among: live) ? .whole(message) : nil
    }
}
