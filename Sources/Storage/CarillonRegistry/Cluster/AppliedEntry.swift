package import CarillonCluster
package import CarillonCore

/// An entry of the shared log that this replica has applied: its effects, for the delivery engine and the claims of
/// this node.
package struct AppliedEntry: Sendable {
    /// The share of a message that this node sends: all of it, or some pages.
    enum OwnShare: Hashable, Sendable {
        case whole
        case pages(PageShare)
    }

    /// A change, its answer, and the work that it gives to this node.
    package struct AnsweredChange: Sendable {
        package var change: Change
        package var answer: ChangeAnswer
        /// The share that this node sends of each message in the answer; a message that it does not send is missing.
        var ownShares: [MessageID: OwnShare] = [:]
        /// True if this node holds pages of the updated message, and another member is its only sender now.
        package var mustGiveUp = false

        /// Returns true if this node sends a message in the answer, or pages of it.
        package func isOwn(_ message: MessageID) -> Bool { ownShares[message] != nil }

        /// Returns a message in the answer, as this node sends it; nil if the node does not send it.
        package func addingOwnShare(to outbound: OutboundMessage) -> OutboundMessage? {
            guard let share = ownShares[outbound.id] else { return nil }
            var own = outbound
            own.share =
                switch share {
                case .whole: nil
                case .pages(let pages): pages
                }
            return own
        }
    }

    package var position: LogPosition
    /// The member that has appended the entry.
    package var member: Member
    /// The changes of the entry in their order, without its sweeps.
    package var changes: [AnsweredChange]
    /// The members that this entry has ended.
    package var endedMembers: [Member]
    /// The members that are not over after this entry.
    package var live: LiveMembers
    /// True if a member begins with this entry.
    package var hasJoined: Bool
    /// The member that this node was when it applied the entry; nil if it had not joined yet.
    package var node: Member?
}

extension ChangeAnswer {
    /// The messages in the answer that can be sent from now on, by the node that has the claim.
    var messages: [OutboundMessage] {
        switch self {
        case .accepted(_, let outbound?), .messageUpdated(_, let outbound?), .claimed(let outbound?):
            [outbound]
        case .pagesClaimed(let claim): claim.outbound.map { [$0] } ?? []
        case .membership(let answer): answer.announcement?.outbound.map { [$0] } ?? []
        case .released(let released, _): released
        default: []
        }
    }
}
