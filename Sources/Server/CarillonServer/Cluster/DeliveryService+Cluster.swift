import CarillonClock
package import CarillonCluster
import CarillonCore
import CarillonDelivery
package import CarillonRegistry
import CarillonTransport
import Synchronization

/// Delivery on a node of a cluster.
///
/// The node that has accepted a message sends it. When that node is gone, the node whose claim is first in the shared
/// log sends it. Of a large bulk message each node claims only some pages (`ClaimOperations`). A node takes into memory
/// what it has claimed, and nothing else.
extension DeliveryService {
    /// How long outcomes of the bulk lane are buffered at least, in milliseconds. Even a small entry of the shared log
    /// wakes threads on every node, and costs a commit.
    static let minimumBufferMilliseconds: UInt64 = 300

    /// Tells the engine the changes of an entry of the shared log that was applied, before they are answered.
    package func entryApplied(_ entry: AppliedEntry) {
        guard let claims else { return }
        // An incarnation that is over owns nothing, so others may claim its messages.
        let isCurrent = claims.isCurrent(entry.node)
        // A node that holds pages of a message also hears which pages another member has claimed.
        let isClaimant = isCurrent && entry.member == entry.node
        for applied in entry.changes {
            changeApplied(applied, with: claims, isCurrent: isCurrent, isClaimant: isClaimant)
        }
        guard !entry.endedMembers.isEmpty || entry.hasJoined else { return }
        // This node may be the one that releases scheduled messages now.
        scheduledMessages.add(dueAt: .zero)
        claims.claimMessagesSoon()
    }

    /// Tells the engine and the claims of one change.
    ///
    /// - Parameters:
    ///   - isCurrent: true if the incarnation in which this node applied the entry is still its present one.
    ///   - isClaimant: true if this node has also appended the entry in that incarnation: a claim in it is its own.
    private func changeApplied(
        _ applied: AppliedEntry.AnsweredChange, with claims: ClaimOperations, isCurrent: Bool, isClaimant: Bool
    ) {
        if let app = applied.change.affectedApp { passChangeToEngine(affecting: applied.answer.affected, of: app) }
        func own(_ outbound: OutboundMessage?) -> OutboundMessage? {
            isCurrent ? outbound.flatMap { applied.addingOwnShare(to: $0) } : nil
        }
        func start(_ outbound: OutboundMessage?) { if let entry = own(outbound) { claims.startSending(entry) } }
        switch (applied.change, applied.answer) {
        case (.updateMessage(let request, _), .messageUpdated(_, let outbound)):
            claims.messageUpdated(by: request, outbound: outbound, mustGiveUp: isCurrent && applied.mustGiveUp)
            passUpdateToEngine(request.messageUpdate, of: request.id, outbound: nil)
            start(outbound)
        case (_, .pagesClaimed(let claim)):
            if isCurrent { claims.pagesClaimed(claim, own: isClaimant ? own(claim.outbound) : nil) }
        case (.endBlock(let message, _, _), .messageChecked(isFinished: true)): claims.messageFinished(message)
        case (.accept(let message, _, _), .accepted(_, nil)):
            if let sendAt = message.sendAt { scheduledMessages.add(dueAt: sendAt) }
        case (_, .accepted(_, let outbound)), (_, .claimed(let outbound)): start(outbound)
        case (_, .membership(let answer)): start(answer.announcement?.outbound)
        case (_, .released(let entries, let next)):
            for entry in entries { start(entry) }
            if let next { scheduledMessages.add(dueAt: next) }
        case (_, .registered), (_, .unregistered), (_, .audienceCounted), (_, .updated), (_, .groupUpdated),
            (_, .outcomesRecorded), (_, .messageUpdated), (_, .receiptsCounted), (_, .applied), (_, .forgotten),
            (_, .messageChecked), (_, .refused):
            break
        }
    }

    /// Called when a new incarnation of the node has begun. It holds no claims, so it looks for messages that it may
    /// claim.
    package func incarnationBegan(as member: Member) {
        claims?.incarnationBegan(as: member)
        scheduledMessages.add(dueAt: .zero)
        claims?.claimMessagesSoon()
    }

    /// Takes all messages out of the memory: the node's incarnation is over. Outcomes of pushes on the wire are kept,
    /// and the next incarnation records them.
    package func incarnationEnded() {
        claims?.incarnationEnded()
        callEngine { $0.unloadAll(at: Clock.now()) }
    }

    /// Tries again what may not have been possible before; called once a second.
    func continueInCluster() {
        guard let node, node.mayAct else { return }
        claims?.continueClaims()
        for (key, pool) in openPools where hasWork(for: key) { pool.wake() }
    }
}
