import CarillonCluster
package import CarillonCore
import CarillonLMDB

/// Which messages this node sends. A registry without a cluster sends all.
extension LMDBRegistry {
    /// Returns those of some messages that this node may send: all without a cluster.
    func ownMessages(
        of messages: [MessageID], layout: Layout, in transaction: borrowing ReadTransaction
    ) throws -> [MessageID] {
        guard let link else { return messages }
        guard let knowledge = link.knowledge, let member = knowledge.member, let claims = layout.claims else {
            return []
        }
        let live = knowledge.state.live
        return try messages.filter {
            try claims.get($0, in: transaction)?.claims.maySend(0, by: member.incarnation, live) == true
        }
    }

    /// Messages of the outbox that no live member sends, and that this node may claim: by queue and id, after `message`;
    /// looks at no more than `limit` of each queue. Empty without a cluster.
    package func freeMessages(limit: Int) throws(RegistryError) -> [MessageID] {
        guard let link, let knowledge = link.knowledge, let member = knowledge.member else { return [] }
        let live = knowledge.state.live
        return try briefRead { transaction, layout in
            var free: [MessageID] = []
            for queue in try layout.outbox.queues(in: transaction) {
                var last: MessageID?
                var looked = 0
                while looked < limit, free.count < limit {
                    let messages = try layout.outbox.messages(
                        queue: queue, after: last, limit: min(256, limit), in: transaction)
                    for message in messages {
                        if try Self.isFree(message, member.incarnation, live, layout, in: transaction) {
                            free.append(message)
                        }
                    }
                    guard let end = messages.last else { break }
                    (last, looked) = (end, looked + messages.count)
                }
            }
            return free
        }
    }

    private static func isFree(  // style: unlabelled: private
        _ message: MessageID, _ member: UInt64, _ live: LiveMembers, _ layout: Layout,
        in transaction: borrowing ReadTransaction
    ) throws -> Bool {
        guard let table = layout.claims else { return false }
        // A message of a server that had no cluster.
        guard let row = try table.get(message, in: transaction) else { return true }
        guard row.claims.claimable(by: member, live) > 0 else { return false }
        guard let app = row.silentApp else { return true }
        return SilentClaim.mayClaim(try table.silentClaim(of: app, in: transaction), by: member, live)
    }
}
