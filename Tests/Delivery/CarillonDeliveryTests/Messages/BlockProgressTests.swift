import CarillonCore
import Testing

@testable import CarillonDelivery

extension PageBlock {
    fileprivate static let pages0To1 = PageBlock(first: 0, count: 2)
    fileprivate static let pages4To5 = PageBlock(first: 4, count: 2)
    fileprivate static let pages10To12 = PageBlock(first: 10, count: 3)
    fileprivate static let pages20To21 = PageBlock(first: 20, count: 2)
    fileprivate static let page30 = PageBlock(first: 30, count: 1)
}

/// The blocks of one message that a node holds: which page is read next, and when a block has ended.
struct BlockProgressTests {
    private var blocks = BlockProgress([.pages4To5, .pages10To12])

    @Test mutating func `pages are read block by block`() {
        #expect(blocks.unreadPageCount == 2 + 3)
        #expect(!blocks.isRead)
        let first = (blocks.beginRead(), blocks.endRead(found: 4, from: 4))
        #expect(first == (4, true))
        let second = (blocks.beginRead(), blocks.endRead(found: 5, from: 5))
        #expect(second == (5, true))
        #expect(blocks.beginRead() == 10)
        blocks.close(4)
        #expect(blocks.takeEnded() == [])
        blocks.close(5)
        let ended = [blocks.takeEnded(), blocks.takeEnded()]
        #expect(ended == [[.pages4To5], []])
        #expect(blocks.held == [.pages10To12])
    }

    @Test mutating func `a page of another member is not taken`() {
        #expect(blocks.beginRead() == 4)
        // Pages 4 and 5 have nothing pending; 6 is not this node's.
        #expect(blocks.endRead(found: 6, from: 4) == false)
        #expect(blocks.takeEnded() == [.pages4To5])
        #expect(blocks.beginRead() == 10)
    }

    @Test mutating func `one page far away ends all blocks before it`() {
        #expect(blocks.beginRead() == 4)
        #expect(blocks.endRead(found: 12, from: 4) == true)
        #expect(blocks.takeEnded() == [.pages4To5])
        #expect(blocks.isRead)
        blocks.close(12)
        #expect(blocks.takeEnded() == [.pages10To12])
    }

    @Test mutating func `a read ends no block that was added after it began`() {
        #expect(blocks.beginRead() == 4)
        blocks.add([.pages20To21])
        #expect(blocks.endRead(found: nil, from: 4) == false)
        #expect(blocks.takeEnded() == [.pages4To5, .pages10To12])
        #expect(blocks.beginRead() == 20)
        blocks.add([.page30])
        // The page may have outcomes of another member that the read has not seen.
        #expect(blocks.endRead(found: 30, from: 20) == false)
        #expect(blocks.beginRead() == 30)
        #expect(blocks.endRead(found: 30, from: 30) == true)
    }

    @Test mutating func `a block before the page that is read stays unread`() {
        blocks.add([.pages0To1])
        #expect(blocks.beginRead() == 4)
        #expect(blocks.endRead(found: nil, from: 4) == false)
        #expect(blocks.held == [.pages0To1])
        #expect(blocks.beginRead() == 0)
    }

    @Test mutating func `a block with a recipient that stays pending does not end`() {
        #expect(blocks.beginRead() == 4)
        #expect(blocks.endRead(found: 4, from: 4) == true)
        blocks.recipientKeptOnDisk(in: 4)
        blocks.close(4)
        #expect(blocks.beginRead() == 5)
        #expect(blocks.endRead(found: nil, from: 5) == false)
        #expect(blocks.takeEnded() == [.pages10To12])
        #expect(blocks.isRead)
        #expect(blocks.held == [.pages4To5])
    }

    @Test mutating func `pages that cannot be read keep all unread blocks`() {
        #expect(blocks.beginRead() == 4)
        blocks.recipientKeptOnDisk(in: nil)
        #expect(blocks.endRead(found: nil, from: 4) == false)
        #expect(blocks.takeEnded() == [])
        #expect(blocks.isRead)
    }

    @Test mutating func `the last page of a message ends the blocks behind it`() {
        #expect(blocks.beginRead() == 4)
        #expect(blocks.endRead(found: 5, from: 4) == true)
        blocks.foundLast(5)
        #expect(blocks.isRead)
        #expect(blocks.takeEnded() == [.pages10To12])
        blocks.close(5)
        #expect(blocks.takeEnded() == [.pages4To5])
    }

    @Test func `the last page number overflows nothing`() {
        var last = BlockProgress([PageBlock(first: .max, count: 1)])
        #expect(last.beginRead() == .max)
        #expect(last.endRead(found: .max, from: .max) == true)
        last.foundLast(.max)
        last.close(.max)
        #expect(last.takeEnded() == [PageBlock(first: .max, count: 1)])
    }
}
