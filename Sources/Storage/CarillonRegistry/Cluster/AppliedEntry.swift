package import CarillonCluster
package import CarillonCore

/// The effects of an entry of the shared log on this replica, for the delivery engine and everything else in memory
/// that follows the state.
package struct AppliedEntry: Sendable {
    /// The share of a message that this node sends.
    enum OwnShare: Hashable, Sendable {
        case whole
        case pages(PageShare)
    }

    /// One change and its answer, in the order in which they were applied.
    package struct AnsweredChange: Sendable {
        package var change: Change
        package var answer: ChangeAnswer
        /// The messages that the answer puts into the outbox and this node sends, with its share of each.
        var ownShares: [MessageID: OwnShare] = [:]
        /// True if this node holds pages of the updated message, and another member is its only sender now.
        package var mustGiveUp = false

        /// Returns true if this node sends a message that the answer puts into the outbox, or pages of it.
        package func isOwn(_ message: MessageID) -> Bool { ownShares[message] != nil }

        /// Returns a message that the answer puts into the outbox, as this node sends it; nil if the node does not send
        /// it.
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
    /// The changes of the entry, without its sweeps.
    package var changes: [AnsweredChange]
    /// The members that are over since this position.
    package var endedMembers: [Member]
    /// The members that are not over at this position.
    package var live: LiveMembers
    /// True if a member begins with this entry.
    package var hasJoined: Bool
    /// This node in the incarnation as which it applied the entry; nil if it had none.
    package var node: Member?
}

extension ChangeAnswer {
    /// The messages that this node is to send from now on.
    var messages: [OutboundMessage] {
        switch self {
        case .accepted(_, let outbound?), .messageUpdated(_, let outbound?), .claimed(let outbound?):
            [outbound]
        case .pagesClaimed(let claim): claim.outbound.map { [$0] } ?? []
        case .membership(let answer): answer.announcement?.outbound.map { [$0] } ?? []
        case .released(let entries, _): entries
        default: []
        }
    }
}
