package import CarillonCore

/// The removal of nodes by an operator, which ends their incarnation at once, whether they are silent or not.
extension ClusterNode {
    /// The reason why a node cannot be removed.
    package enum RemovalRefusal: Hashable, Sendable {
        /// No node of this name is live.
        case unknown
        /// The name belongs to this node.
        case itself
        /// This node has no incarnation, or too many removals wait.
        case notNow
    }

    /// The answer to an operator who wants to remove a node.
    package enum RemovalAnswer: Hashable, Sendable {
        /// The incarnation of this member is going to be ended.
        case begun(Member)
        case refused(RemovalRefusal)
    }

    /// The end of a removal.
    package enum RemovalEnd: Hashable, Sendable {
        /// The incarnation is over.
        case removed
        /// The removal had no effect.
        case refused(LogError)
        /// The removal may have an effect or not: it is not known.
        case unknown
    }

    /// Ends the incarnation of another node. That node sends nothing any more, and the others take its messages over. A
    /// node that lives joins again as a new incarnation. ``Action/endRemoval(_:_:)`` tells the end.
    ///
    /// - Parameter number: the caller's number of the removal.
    package mutating func remove(
        _ name: NodeName, number: UInt64, deadline: Uptime, at now: Uptime
    ) -> RemovalAnswer {
        guard member != nil, stopReason == nil, !removals.isFull, let view = membership.view else {
            return .refused(.notNow)
        }
        guard name != options.name else { return .refused(.itself) }
        guard let expiredMember = view.liveNodes.first(where: { $0.member.node == name })?.member else {
            return .refused(.unknown)
        }
        removals.append(RemovalQueue.Removal(number: number, member: expiredMember, deadline: deadline))
        advance(at: now)
        return .begun(expiredMember)
    }

    /// Ends all removals that wait, without effect.
    mutating func refuseRemovals() {
        for removal in removals.takeAll() { actions.append(.endRemoval(removal.number, .refused(.fenced))) }
    }
}

/// The removals of other nodes by an operator that wait until no append is under way.
struct RemovalQueue: Sendable {
    /// A member that is to be removed from the cluster.
    struct Removal: Hashable, Sendable {
        /// The caller's number of the removal.
        let number: UInt64
        let member: Member
        /// The latest time at which the caller is told that the end is unknown.
        let deadline: Uptime
    }

    static let maximumCount = 16

    private var waiting: [Removal] = []

    var isFull: Bool { waiting.count >= Self.maximumCount }

    mutating func append(_ removal: Removal) { waiting.append(removal) }

    /// Removes and returns the removal that has waited longest; nil if no removal waits.
    mutating func takeFirst() -> Removal? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Removes and returns all removals, the one that has waited longest first.
    mutating func takeAll() -> [Removal] {
        defer { waiting = [] }
        return waiting
    }
}
