package import CarillonCluster
package import CarillonCore
import CarillonLMDB

/// The messages that this node sends, and the messages that it may claim. A registry without a cluster sends all
/// messages.
extension LMDBRegistry {
    /// Returns a message of the outbox as this node sends it; nil if the node does not send it. Unchanged without a
    /// cluster.
    func addingOwnShare(
        to outbound: OutboundMessage, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws(RegistryError) -> OutboundMessage? {
        guard let exchange else { return outbound }
        guard let applied = exchange.appliedState, let member = applied.member else { return nil }
        do {
            return try tables.addingShare(
                of: member.incarnation, to: outbound, among: applied.record.live, in: transaction)
        } catch {
            throw RegistryError(reading: error)
        }
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

    /// Returns messages of the outbox that this node may claim, whole or in part, by queue and id; looks at about
    /// `limit` of each queue at most. Empty without a cluster.
    package func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage] {
        guard let exchange, let applied = exchange.appliedState, let member = applied.member else { return [] }
        let live = applied.record.live
        return try readCurrent { transaction, tables in
            var claimable: [ClaimableMessage] = []
            for queue in try tables.outbox.queues(in: transaction) {
                try tables.findClaimable(
                    in: queue, limit: limit, for: member.incarnation, among: live, into: &claimable, in: transaction)
            }
            return claimable
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
    /// The most messages that one read of a queue returns.
    private static let maximumMessagesPerRead = 256

    /// Appends the messages of a queue of which the member may claim something; looks at about `limit` at most.
    fileprivate func findClaimable(
        in queue: OutboxTable.StoredQueue, limit: Int, for member: UInt64, among live: LiveMembers,
        into claimable: inout [ClaimableMessage], in transaction: borrowing ReadTransaction
    ) throws {
        var last: MessageID?
        var searched = 0
        while searched < limit, claimable.count < limit {
            let messages = try outbox.messages(
                queue: queue, after: last, limit: min(Self.maximumMessagesPerRead, limit), in: transaction)
            for message in messages {
                let found = try claimablePart(of: message, for: member, among: live, in: transaction)
                if let found { claimable.append(found) }
            }
            guard let end = messages.last else { return }
            (last, searched) = (end, searched + messages.count)
        }
    }

    /// Returns what the member may claim of a message; nil if it may claim nothing of it.
    private func claimablePart(
        of message: MessageID, for member: UInt64, among live: LiveMembers, in transaction: borrowing ReadTransaction
    ) throws -> ClaimableMessage? {
        guard let table = claims else { return nil }
        // A message of a server that had no cluster has no row.
        guard let row = try table.get(message, in: transaction) else { return .whole(message) }
        let claimable = row.claims.claimablePages(by: member, among: live)
        guard claimable > 0 else { return nil }
        if row.claims.isShared {
            guard let record = try messages.get(message, in: transaction),
                let progress = try self.progress.get(message, in: transaction)
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

/// A message of the outbox that a node may claim.
package enum ClaimableMessage: Hashable, Sendable {
    /// No live member sends the message, and it is claimed as a whole.
    case whole(MessageID)
    /// Several members send the message, and no live member holds `pagesLeft` of its pages, which are claimed.
    case shared(OutboundMessage, pagesLeft: UInt32)

    /// The message if it is claimed as a whole; nil if its pages are claimed.
    package var wholeMessage: MessageID? { if case .whole(let message) = self { message } else { nil } }
}
