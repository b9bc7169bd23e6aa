private import CarillonCore

/// What each live member has claimed, as rows of the replicated state say.
package struct ClaimCounts: Sendable {
    /// What one member has claimed.
    package struct Count: Hashable, Sendable {
        /// Messages of which it holds the whole or a part.
        package var messages: UInt64 = 0
        /// Blocks of pages of shared messages.
        package var blocks: UInt64 = 0
        /// The pages of these blocks.
        package var pages: UInt64 = 0

        /// Nothing.
        package init() {}
    }

    private let live: LiveMembers
    private var counts: [UInt64: Count] = [:]

    /// Counts nothing yet.
    package init(_ live: LiveMembers) { self.live = live }

    /// Counts the claims of another message.
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

    /// What the member with an incarnation has claimed.
    package subscript(incarnation: UInt64) -> Count { counts[incarnation] ?? Count() }
}
