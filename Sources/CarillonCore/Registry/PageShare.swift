/// Pages of a message that follow on each other: what a member of a cluster claims at once.
package struct PageBlock: Hashable, Sendable, CustomStringConvertible {
    /// The first page.
    package let first: UInt32
    /// The number of pages, 1 or more.
    package let count: UInt32

    package init(first: UInt32, count: UInt32) { (self.first, self.count) = (first, count) }

    /// The page after the last.
    package var end: UInt64 { UInt64(first) + UInt64(count) }

    /// Returns true if the page is one of them.
    package func contains(_ page: UInt32) -> Bool { page >= first && UInt64(page) < end }

    /// The pages as a range.
    package var description: String { "\(first)..<\(end)" }
}

/// How the members of a cluster share the pages of a message.
package struct PageShare: Hashable, Sendable {
    /// Pages that may have pending recipients: all, but for those before the floor.
    package var pages: UInt32
    /// Roughly the pages that have the recipients of one full page: 1 for a list, more for a live audience of which
    /// each chunk of devices has few.
    package var sparsity: UInt32
    /// The blocks that this member holds; nil while one member has claimed the message as a whole.
    package var blocks: [PageBlock]?

    package init(pages: UInt32, sparsity: UInt32 = 1, blocks: [PageBlock]? = nil) {
        (self.pages, self.sparsity, self.blocks) = (pages, sparsity, blocks)
    }
}

/// The answer to a claim of pages.
package struct PageClaim: Hashable, Sendable {
    /// The message, as it is in the outbox; nil if it is not to be sent, or not to be shared.
    package var entry: OutboxEntry?
    /// The pages that the member holds since.
    package var claimed: [PageBlock]
    /// Pages that no live member holds and that have not ended.
    package var left: UInt32

    /// Makes it from its parts; by default nothing is claimed.
    package init(entry: OutboxEntry? = nil, claimed: [PageBlock] = [], left: UInt32 = 0) {
        (self.entry, self.claimed, self.left) = (entry, claimed, left)
    }
}
