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
