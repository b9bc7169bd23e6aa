package import CarillonCore

/// Removes nodes on the request of an operator. A removal ends the incarnation of a node at once, whether the node is
/// silent or not.
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

    /// The result of a removal.
    package enum RemovalEnd: Hashable, Sendable {
        /// The incarnation is over.
        case removed
        /// The removal had no effect.
        case refused(LogError)
        /// The removal may have an effect or not: it is not known.
        case unknown
    }

    /// Ends the incarnation of another node. That node sends nothing more, and the others take its messages over. A
    /// node that lives joins again as a new incarnation. ``Action/endRemoval(_:_:)`` tells the end.
    ///
    /// - Parameter number: the caller's number of the removal.
    package mutating func remove(
        _ name: NodeName, number: UInt64, deadline: Uptime, at now: Uptime
    ) -> RemovalAnswer {
        guard member != nil, stopReason == nil else { return .refused(.notNow) }
        let answer = removals.add(name, number: number, deadline: deadline, by: options.name, in: membership.view)
        if case .begun = answer { advance(at: now) }
        return answer
    }

    /// Ends all removals that wait, without effect.
    mutating func refuseRemovals() {
        for removal in removals.takeAll() { actions.append(.endRemoval(removal.number, .refused(.fenced))) }
    }
}
