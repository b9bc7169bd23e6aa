package import CarillonCore

/// The claims of members to the pages of one message: a row of the replicated state, from the time at which the message
/// goes into the outbox until it is finished.
///
/// Pages are claimed in blocks that follow on each other. So the row has one number for all pages that were never
/// claimed, and a few bytes for each block that is claimed and has not ended, but none for a page. A block is *held*
/// while its owner is live, and *free* when its owner has released it or is over. A member asks for a number of pages,
/// and the row decides which ones, in the order of the log. So two members that ask at the same time get different
/// pages, for as long as there are any.
///
/// For example, member 5 claims 8 pages and gets 0 to 7. Member 6 claims 8 and gets 8 to 15, so page 16 is the first
/// unclaimed one. Member 5 dies. Its block is free from the position of its end on, without a change of this row.
/// Member 6 claims 8 pages again, and gets the free block: it sends to the recipients that are still pending. Its next
/// claim begins at page 16.
///
/// At most one live member holds a page at each position of the log. A page that was free and is claimed again may have
/// recipients that have ended; their outcomes are in the state.
package struct MessageClaims: Hashable, Sendable {
    /// A block of pages that was claimed and has not ended.
    package struct ClaimedBlock: Hashable, Sendable {
        package fileprivate(set) var pages: PageBlock
        /// The incarnation that claimed the pages last; nil if it has released them.
        package fileprivate(set) var owner: UInt64?
    }

    package static let maximumBlockPages: UInt32 = 4_096
    /// The most blocks of one message that a member may hold.
    ///
    /// It also bounds the row of the message. Blocks of a member that is gone become free, and free blocks are claimed
    /// before new pages. For example, if at most three nodes were live at a time, a row has at most 1,536 blocks.
    package static let maximumBlocksHeld = 512

    /// False if one member sends the whole message. That member then holds page 0, which stands for all pages.
    package let isShared: Bool
    /// The number of pages, which count from 0. It is fixed when the message is shared.
    package let pageCount: UInt32
    /// The first page that was never claimed; no page after it was claimed either.
    package private(set) var firstUnclaimedPage: UInt32 = 0
    /// The blocks in the order of their pages.
    package private(set) var blocks: [ClaimedBlock] = []
    /// True if only one member at a time may send. The message then has a pace, which that member keeps alone.
    package private(set) var hasOneSender: Bool
    /// The member that may send, live or over; nil before the first claim, and without a pace.
    private var soleSender: UInt64?

    /// The row of a message whose pages are shared, without claims.
    package init(pageCount: UInt32, hasOneSender: Bool) {
        isShared = true
        self.pageCount = pageCount
        self.hasOneSender = hasOneSender
    }

    /// The row of a message that one member sends as a whole, without claims.
    package static let ofWholeMessage = MessageClaims()

    private init() { (isShared, pageCount, hasOneSender) = (false, 1, false) }

    // MARK: Changes of the row

    /// Claims at most `count` pages for a member: first whole free blocks, in the order of their pages, then new pages.
    ///
    /// - Returns: the pages that were claimed; empty if another member must be the only sender, if it holds as many
    ///   blocks as it may, or if no page is left.
    package mutating func claim(_ count: UInt32, by incarnation: UInt64, among live: LiveMembers) -> [PageBlock] {
        guard mayClaim(incarnation, among: live) else { return [] }
        var claimed: [PageBlock] = []
        var missing = count
        var held = blocks.count { $0.owner == incarnation }
        defer { if hasOneSender, !claimed.isEmpty { soleSender = incarnation } }
        for index in blocks.indices where !isHeld(blocks[index], among: live) {
            guard missing > 0, held < Self.maximumBlocksHeld else { return claimed }
            blocks[index].owner = incarnation
            claimed.append(blocks[index].pages)
            missing -= min(missing, blocks[index].pages.count)
            held += 1
        }
        guard missing > 0, held < Self.maximumBlocksHeld, firstUnclaimedPage < pageCount else { return claimed }
        let pages = PageBlock(
            first: firstUnclaimedPage, count: min(missing, Self.maximumBlockPages, pageCount - firstUnclaimedPage))
        firstUnclaimedPage += pages.count
        blocks.append(ClaimedBlock(pages: pages, owner: incarnation))
        claimed.append(pages)
        return claimed
    }

    /// Shares a message that the member holds as a whole. The member then holds no page, and may claim some.
    ///
    /// - Parameters:
    ///   - pages: the number of pages.
    ///   - first: the first page that may have pending recipients.
    /// - Returns: false if another member holds the message, or if it is shared already: nothing has changed.
    package mutating func share(pages: UInt32, from first: UInt32, by incarnation: UInt64, among live: LiveMembers)
        -> Bool
    {
        guard !isShared, blocks.allSatisfy({ !isHeld($0, among: live) || $0.owner == incarnation }) else {
            return false
        }
        self = MessageClaims(pageCount: pages, hasOneSender: false)
        firstUnclaimedPage = min(first, pages)
        return true
    }

    /// Ends a block of a member: all its recipients have outcomes.
    ///
    /// - Parameter first: the first page of the block.
    /// - Returns: false if the member does not hold the block: nothing has changed.
    package mutating func endBlock(at first: UInt32, by incarnation: UInt64) -> Bool {
        guard let index = findIndex(ofBlockAt: first, heldBy: incarnation) else { return false }
        blocks.remove(at: index)
        return true
    }

    /// Frees a block that a member gives up. Every push of the block that it has begun has its outcome in the log.
    ///
    /// - Parameter first: the first page of the block.
    /// - Returns: false if the member does not hold the block: nothing has changed.
    package mutating func releaseBlock(at first: UInt32, by incarnation: UInt64) -> Bool {
        guard let index = findIndex(ofBlockAt: first, heldBy: incarnation) else { return false }
        blocks[index].owner = nil
        return true
    }

    /// Records that the message has a pace from now on, or no longer has one.
    ///
    /// If several members hold blocks, the member with the first block stays the sender. The others begin nothing more,
    /// and release their blocks when their begun pushes have ended. Until then no member can claim them.
    package mutating func setOneSender(_ hasOneSender: Bool, among live: LiveMembers) {
        guard self.hasOneSender != hasOneSender else { return }
        self.hasOneSender = hasOneSender
        soleSender = hasOneSender ? blocks.first { isHeld($0, among: live) }?.owner : nil
    }

    private func findIndex(ofBlockAt first: UInt32, heldBy incarnation: UInt64) -> Int? {
        blocks.firstIndex { $0.pages.first == first && $0.owner == incarnation }
    }

    // MARK: Questions

    private func isHeld(_ block: ClaimedBlock, among live: LiveMembers) -> Bool {
        block.owner.map(live.isLive) ?? false
    }

    private func mayClaim(_ incarnation: UInt64, among live: LiveMembers) -> Bool {
        !hasOneSender || !blocks.contains { isHeld($0, among: live) && $0.owner != incarnation }
    }

    /// Returns true if a member may begin pushes of a page.
    package func maySend(_ page: UInt32, by incarnation: UInt64, among live: LiveMembers) -> Bool {
        owner(of: page, among: live) == incarnation && (!hasOneSender || soleSender == incarnation)
    }

    /// Returns true if a member holds at least one page and may begin pushes of its pages.
    package func maySendAny(by incarnation: UInt64, among live: LiveMembers) -> Bool {
        live.isLive(incarnation) && blocks.contains { $0.owner == incarnation }
            && (!hasOneSender || soleSender == incarnation)
    }

    /// Returns the live member that holds a page; nil if no live member holds it.
    package func owner(of page: UInt32, among live: LiveMembers) -> UInt64? {
        blocks.first { (!isShared || $0.pages.contains(page)) && isHeld($0, among: live) }?.owner
    }

    /// Returns the number of pages that a member could claim now.
    package func claimablePages(by incarnation: UInt64, among live: LiveMembers) -> UInt32 {
        mayClaim(incarnation, among: live) ? pagesLeft(among: live) : 0
    }

    /// Returns the number of pages that no live member holds and that have not ended.
    package func pagesLeft(among live: LiveMembers) -> UInt32 {
        blocks.reduce(pageCount - firstUnclaimedPage) { isHeld($1, among: live) ? $0 : $0 + $1.pages.count }
    }

    package func blocks(of incarnation: UInt64) -> [PageBlock] {
        blocks.filter { $0.owner == incarnation }.map(\.pages)
    }

    /// Returns the blocks that a member holds and must release because another member is the sender. The member
    /// releases them when its begun pushes have ended.
    package func blocksToRelease(by incarnation: UInt64) -> [PageBlock] {
        hasOneSender && soleSender != incarnation ? blocks(of: incarnation) : []
    }

    /// True if every page has ended. The message is then finished.
    package var isComplete: Bool { blocks.isEmpty && firstUnclaimedPage == pageCount }

    // MARK: Bytes

    /// The encoded row: the version `u8` 1, flags `u8` (1: one sender, 2: shared), the page count `u32`, the first
    /// unclaimed page `u32`, the only sender `u64`, and for each block its first page `u32`, its page count `u32` and
    /// its owner `u64`. 0 stands for no member.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [1, (hasOneSender ? 1 : 0) | (isShared ? 2 : 0)]
        bytes.reserveCapacity(18 + 16 * blocks.count)
        bytes.append(bigEndian: pageCount)
        bytes.append(bigEndian: firstUnclaimedPage)
        bytes.append(bigEndian: soleSender ?? 0)
        for block in blocks {
            bytes.append(bigEndian: block.pages.first)
            bytes.append(bigEndian: block.pages.count)
            bytes.append(bigEndian: block.owner ?? 0)
        }
        return bytes
    }

    /// Reads ``bytes``.
    package init(_ bytes: [UInt8]) throws(StoredBytesError) {
        var reader = StoredBytesReader(bytes[...])
        guard try reader.number() as UInt8 == 1 else { throw .unknownForm }
        let flags: UInt8 = try reader.number()
        guard flags <= 3 else { throw .unknownForm }
        hasOneSender = flags & 1 == 1
        isShared = flags & 2 == 2
        pageCount = try reader.number()
        firstUnclaimedPage = try reader.number()
        let sender: UInt64 = try reader.number()
        soleSender = sender == 0 ? nil : sender
        guard firstUnclaimedPage <= pageCount, hasOneSender || sender == 0,
            isShared || pageCount == 1 && !hasOneSender
        else { throw .contradictory }
        var end: UInt64 = 0
        while !reader.isAtEnd {
            let pages = PageBlock(first: try reader.number(), count: try reader.number())
            let owner: UInt64 = try reader.number()
            guard pages.count > 0, UInt64(pages.first) >= end, pages.end <= UInt64(firstUnclaimedPage) else {
                throw .contradictory
            }
            end = pages.end
            blocks.append(ClaimedBlock(pages: pages, owner: owner == 0 ? nil : owner))
        }
    }
}
