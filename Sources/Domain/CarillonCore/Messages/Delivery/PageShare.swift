/// Says how the pages of a message are divided among the members of a cluster.
package struct PageShare: Hashable, Sendable {
    /// The number of pages that may have pending recipients: the last pages of the message. The pages before them have
    /// none.
    package var pages: UInt32
    /// The number of pages, approximately, that have as many recipients together as one full page: 1 for a list, more
    /// for a live audience with few devices in each chunk.
    package var pagesPerFullPage: UInt32
    /// The blocks that this member holds; nil while one member has claimed the message as a whole.
    package var blocks: [PageBlock]?

    package init(pages: UInt32, pagesPerFullPage: UInt32 = 1, blocks: [PageBlock]? = nil) {
        self.pages = pages
        self.pagesPerFullPage = pagesPerFullPage
        self.blocks = blocks
    }
}
