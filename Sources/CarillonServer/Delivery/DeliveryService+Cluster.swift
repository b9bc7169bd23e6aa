import CarillonClock
package import CarillonCluster
package import CarillonCore
import CarillonDelivery
package import CarillonRegistry
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// What delivery asks its node of a cluster.
package protocol DeliveryNode: AnyObject, Sendable {
    /// True if a push may begin at this moment.
    var mayAct: Bool { get }
    /// The node in its present incarnation and the members that are live, as of the last entry that was applied; nil if
    /// it has none.
    var membership: (member: Member, live: LiveMembers)? { get }
    /// True if this is the node that does what one node does for all, such as releasing scheduled messages.
    var doesCommonWork: Bool { get }
    /// Messages of the outbox that no live member sends; at most about `limit`.
    func freeMessages(limit: Int) throws(RegistryError) -> [MessageID]
}

/// Delivery on a node of a cluster. A message has one sender at a time: the node that has accepted it, or, when that
/// node is gone, the one whose claim is the first in the log. Messages of others are not taken into memory.
extension DeliveryService {
    /// Messages that are looked at for one without a sender, in each queue.
    private static let freeMessagesLooked = 10_000

    /// An entry of the shared log was applied: what it changes is known to the engine before anybody is told.
    package func applied(_ entry: AppliedEntry) {
        // An incarnation that is over owns nothing any more: its messages are free to be claimed.
        let isWorking = entry.node != nil && entry.node == workingMember.withLock { $0 }
        for applied in entry.changes { self.applied(applied, isWorking: isWorking) }
        guard !entry.ended.isEmpty || entry.hasJoined else { return }
        // This node may be the one that releases scheduled messages now.
        schedule.withLock { $0.next = .zero }
        loop.execute { [weak self] in self?.claimFreeMessages() }
    }

    private func applied(_ applied: AppliedEntry.Applied, isWorking: Bool) {
        if let app = applied.change.affectedApp { noteDevices(applied.answer.affected, of: app) }
        func own(_ entry: OutboxEntry?) -> OutboxEntry? {
            entry.flatMap { isWorking && applied.isOwn($0.id) ? $0 : nil }
        }
        func accept(_ entry: OutboxEntry?) { if let entry = own(entry) { noteMessage(entry) } }
        switch (applied.change, applied.answer) {
        case (.updateMessage(let request, _), .messageUpdated(_, let entry)):
            noteUpdate(of: request.id, request.messageUpdate, entry: own(entry))
        case (.accept(let message, _, _), .accepted(_, nil)):
            if let sendAt = message.sendAt { noteSchedule(sendAt) }
        case (_, .accepted(_, let entry)), (_, .claimed(let entry)): accept(entry)
        case (_, .membership(let answer)): accept(answer.announcement?.entry)
        case (_, .released(let entries, let next)):
            for entry in entries { accept(entry) }
            if let next { noteSchedule(next) }
        default: break
        }
    }

    /// The node has a new incarnation: it holds no claims.
    package func workBegan(as member: Member) {
        workingMember.withLock { $0 = member }
        schedule.withLock { $0.next = .zero }
        loop.execute { [weak self] in self?.claimFreeMessages() }
    }

    /// The node's incarnation is over: all messages leave the memory. Outcomes of what is on the wire are kept, and are
    /// recorded by the next incarnation.
    package func workEnded() {
        takeOver.withLock { $0.forget() }
        workingMember.withLock { $0 = nil }
        step { $0.leaveAll(at: Clock.now()) }
    }

    /// The member whose messages this node sends now; nil if it has none, or its registry does not know it yet.
    var sendingMember: Member? {
        guard let member = workingMember.withLock({ $0 }), node?.membership?.member == member else { return nil }
        return member
    }

    /// Claims messages that no live member sends.
    func claimFreeMessages() {
        guard let node, node.mayAct, !isClaiming.exchange(true, ordering: .acquiring) else { return }
        reader.submit { [self] state in
            guard case .active = state, let membership = node.membership else {
                return isClaiming.store(false, ordering: .releasing)
            }
            var claims: [MessageID] = []
            do throws(RegistryError) {
                let free = try node.freeMessages(limit: Self.freeMessagesLooked)
                claims = takeOver.withLock { $0.claims(of: free, by: membership.member, membership.live) }
            } catch {
                logger.error("the outbox cannot be read", metadata: ["error": "\(error)"])
            }
            guard !claims.isEmpty else { return isClaiming.store(false, ordering: .releasing) }
            registry.submitEach(claims.map { (.claim($0), nil) }) { [self] _ in
                isClaiming.store(false, ordering: .releasing)
            }
        }
    }

    /// Once a second: what may not have been possible before is tried again.
    func continueInCluster() {
        guard let node, node.mayAct else { return }
        claimFreeMessages()
        for (key, pool) in pools.withLock({ $0 }) where hasWork(for: key) { pool.wake() }
    }
}
