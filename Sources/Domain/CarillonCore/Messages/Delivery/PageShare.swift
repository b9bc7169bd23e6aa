/// The division of a message's pages among the members of a cluster.
package struct PageShare: Hashable, Sendable {
    /// The number of pages that may have pending recipients. They are the last pages of the message: those before the
    /// floor have none.
    package var pages: UInt32
    /// The approximate number of pages that together have as many recipients as a full page: 1 for a list, more for a
    /// live audience that has few devices of each chunk.
    package var pagesPerFullPage: UInt32
    /// The blocks that this member holds; nil while one member has claimed the message as a whole.
    package var blocks: [PageBlock]?

    package init(pages: UInt32, pagesPerFullPage: UInt32 = 1, blocks: [PageBlock]? = nil) {
        (self.pages, self.pagesPerFullPage, self.blocks) = (pages, pagesPerFullPage, blocks)
    }
}

/// A block of consecutive pages of a message, which a member of a cluster claims at once.
package struct PageBlock: Hashable, Sendable, CustomStringConvertible {
    package let first: UInt32
    /// The number of pages, 1 or more.
    package let count: UInt32

    package init(first: UInt32, count: UInt32) { (self.first, self.count) = (first, count) }

    /// The page after the last.
    package var end: UInt64 { UInt64(first) + UInt64(count) }

    package func contains(_ page: UInt32) -> Bool { page >= first && UInt64(page) < end }

    /// The pages as a range.
    package var description: String { "\(first)..<\(end)" }
}

/// The answer to a claim of pages.
package struct PageClaim: Hashable, Sendable {
    /// The message, as it is in the outbox; nil if it is not to be sent, or not to be shared.
    package var outbound: OutboundMessage?
    /// The pages that the member holds from now on.
    package var claimed: [PageBlock]
    /// The number of pages that no live member holds and that have not ended.
    package var pagesLeft: UInt32

    package init(outbound: OutboundMessage? = nil, claimed: [PageBlock] = [], pagesLeft: UInt32 = 0) {
        (self.outbound, self.claimed, self.pagesLeft) = (outbound, claimed, pagesLeft)
    }
}
