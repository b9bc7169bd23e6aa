package import CarillonCore

/// Decides which messages without a sender this node claims.
///
/// All nodes see the same free messages at about the same time. Each node claims its share at once, chosen by the
/// numbers of the messages, so that few claims are made in vain. When it looks again, it claims any message that is
/// still free, even from the share of another node. The first claim in the log counts.
package struct TakeOverRule: Sendable {
    /// The most claims that are made at a time.
    package static let maximumClaims = 512

    /// The messages that were free at the last look and that this node did not claim.
    private var seen: Set<MessageID> = []

    package init() {}

    /// Chooses the messages that this node claims now, and remembers the others for the next look.
    ///
    /// - Parameters:
    ///   - free: the messages that no live member sends.
    ///   - member: this node.
    ///   - live: the members that are live.
    package mutating func makeClaims(of free: [MessageID], by member: Member, among live: LiveMembers) -> [MessageID] {
        let count = UInt64(max(1, live.members.count))
        let share = UInt64(live.members.firstIndex(of: member) ?? 0)
        let claims = free.filter { $0.rawValue % count == share || seen.contains($0) }.prefix(Self.maximumClaims)
        seen = Set(free).subtracting(claims)
        return Array(claims)
    }

    /// Forgets the last look, because the incarnation is over.
    package mutating func forget() { seen = [] }
}
