private import CarillonCore

/// The numbers of messages, blocks and pages that each live member has claimed, counted from rows of the replicated
/// state.
package struct ClaimCounts: Sendable {
    /// The numbers of claims of one member.
    package struct Count: Hashable, Sendable {
        /// The messages that the member holds, whole or in part.
        package var messages: UInt64 = 0
        /// The blocks of pages of shared messages.
        package var blocks: UInt64 = 0
        /// The pages of these blocks.
        package var pages: UInt64 = 0

        package init() {}
    }

    private let live: LiveMembers
    private var counts: [UInt64: Count] = [:]

    package init(_ live: LiveMembers) { self.live = live }

    package mutating func add(_ claims: MessageClaims) {
        var owners: Set<UInt64> = []
        for block in claims.blocks {
            guard let owner = block.owner, live.isLive(owner) else { continue }
            if owners.insert(owner).inserted { counts[owner, default: Count()].messages += 1 }
            guard claims.isShared else { continue }
            counts[owner, default: Count()].blocks += 1
            counts[owner, default: Count()].pages += UInt64(block.pages.count)
        }
    }

    package subscript(incarnation: UInt64) -> Count { counts[incarnation] ?? Count() }
}
