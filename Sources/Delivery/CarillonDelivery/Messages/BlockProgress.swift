import CarillonCore

/// The blocks of pages of one message that this node of a cluster holds, and how far each has been worked through.
///
/// Pages are read in the order of the blocks as they came. A read that began before a block was claimed says nothing
/// about the pages of the block: another member may have recorded outcomes in them since.
struct BlockProgress: Hashable, Sendable {
    private struct Entry: Hashable {
        let pages: PageBlock
        /// The first page of the block that is not read.
        var firstUnread: UInt64
        /// The number of pages that were read and have work or writing left.
        var openPageCount = 0
        /// True if a recipient was kept on disk: the block does not end before it is read again.
        var isIncomplete = false
        /// The number of blocks that were claimed before this one.
        let claimedBefore: UInt64

        var isRead: Bool { firstUnread >= pages.end }

        /// Takes the end of a read into account; returns true if its page is in a block of this node.
        mutating func readEnded(found page: UInt32?) -> Bool {
            let end = page.map { UInt64($0) } ?? .max
            if firstUnread < end { firstUnread = min(end, pages.end) }
            guard let page, pages.contains(page), firstUnread == UInt64(page) else { return false }
            firstUnread += 1
            openPageCount += 1
            return true
        }
    }

    private var blocks: [Entry] = []
    /// The number of blocks that were claimed so far.
    private var claimedCount: UInt64 = 0
    /// The number of blocks that were claimed when the read under way began.
    private var claimedCountAtRead: UInt64 = 0
    /// The blocks that have ended since `takeEnded` was called last.
    private var ended: [PageBlock] = []

    init(_ pages: [PageBlock]) { add(pages) }

    /// Adds pages that were claimed. Those that are held already stay as they are.
    mutating func add(_ pages: [PageBlock]) {
        for block in pages where !blocks.contains(where: { $0.pages.first == block.first }) {
            blocks.append(Entry(pages: block, firstUnread: UInt64(block.first), claimedBefore: claimedCount))
            claimedCount += 1
        }
    }

    /// The blocks that have not ended.
    var held: [PageBlock] { blocks.map(\.pages) }

    var isRead: Bool { blocks.allSatisfy(\.isRead) }

    var unreadPageCount: UInt32 {
        UInt32(clamping: blocks.reduce(0 as UInt64) { $0 + ($1.pages.end - min($1.firstUnread, $1.pages.end)) })
    }

    // MARK: Reading

    /// Begins to read the next page; returns the first number that it may have.
    mutating func beginRead() -> UInt32 {
        claimedCountAtRead = claimedCount
        return blocks.first { !$0.isRead }.map { UInt32(clamping: $0.firstUnread) } ?? .max
    }

    /// Ends the read of the next page.
    ///
    /// - Parameters:
    ///   - page: the page that it has found; nil if no page from `first` on has pending recipients.
    ///   - first: the page that the read began with.
    /// - Returns: true if the page is this node's to send.
    mutating func endRead(found page: UInt32?, from first: UInt32) -> Bool {
        var isOwn = false
        for index in blocks.indices where blocks[index].claimedBefore < claimedCountAtRead && !blocks[index].isRead {
            guard blocks[index].firstUnread >= UInt64(first) else { continue }
            if blocks[index].readEnded(found: page) { isOwn = true }
        }
        endBlocks()
        return isOwn
    }

    /// Called when `page` was found, and no page after it has pending recipients.
    mutating func foundLast(_ page: UInt32) {
        if page < .max { _ = endRead(found: nil, from: page + 1) }
    }

    /// Keeps a block from ending before it is read again: one of its pages cannot be read, or has a
    /// pending recipient that is only on disk.
    ///
    /// - Parameter page: the page; nil if its number is not known, which keeps every block that has pages to read.
    mutating func recipientKeptOnDisk(in page: UInt32?) {
        for index in blocks.indices where page.map({ blocks[index].pages.contains($0) }) ?? !blocks[index].isRead {
            blocks[index].isIncomplete = true
        }
    }

    /// Closes a page. All work on it is done and written.
    mutating func close(_ page: UInt32) {
        guard let index = blocks.firstIndex(where: { $0.pages.contains(page) && $0.openPageCount > 0 }) else { return }
        blocks[index].openPageCount -= 1
        endBlocks()
    }

    private mutating func endBlocks() {
        guard blocks.contains(where: Self.hasEnded) else { return }
        ended += blocks.filter(Self.hasEnded).map(\.pages)
        blocks.removeAll(where: Self.hasEnded)
    }

    private static func hasEnded(_ block: Entry) -> Bool {
        block.isRead && block.openPageCount == 0 && !block.isIncomplete
    }

    /// Removes and returns the blocks in which every recipient has an outcome on disk.
    mutating func takeEnded() -> [PageBlock] {
        guard !ended.isEmpty else { return [] }
        defer { ended.removeAll() }
        return ended
    }
}
