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
    private var progress = BlockProgress([.pages4To5, .pages10To12])

    @Test mutating func `pages are read block by block`() {
        #expect(progress.unreadPageCount == 2 + 3)
        #expect(!progress.isRead)
        let first = (progress.beginRead(), progress.endRead(found: 4, from: 4))
        #expect(first == (4, true))
        let second = (progress.beginRead(), progress.endRead(found: 5, from: 5))
        #expect(second == (5, true))
        #expect(progress.beginRead() == 10)
        progress.close(4)
        #expect(progress.takeEnded() == [])
        progress.close(5)
        let ended = [progress.takeEnded(), progress.takeEnded()]
        #expect(ended == [[.pages4To5], []])
        #expect(progress.held == [.pages10To12])
    }

    @Test mutating func `a page of another member is not taken`() {
        #expect(progress.beginRead() == 4)
        // Pages 4 and 5 have nothing pending; 6 is not this node's.
        #expect(progress.endRead(found: 6, from: 4) == false)
        #expect(progress.takeEnded() == [.pages4To5])
        #expect(progress.beginRead() == 10)
    }

    @Test mutating func `one page far away ends all blocks before it`() {
        #expect(progress.beginRead() == 4)
        #expect(progress.endRead(found: 12, from: 4) == true)
        #expect(progress.takeEnded() == [.pages4To5])
        #expect(progress.isRead)
        progress.close(12)
        #expect(progress.takeEnded() == [.pages10To12])
    }

    @Test mutating func `a read ends no block that was added after it began`() {
        #expect(progress.beginRead() == 4)
        progress.add([.pages20To21])
        #expect(progress.endRead(found: nil, from: 4) == false)
        #expect(progress.takeEnded() == [.pages4To5, .pages10To12])
        #expect(progress.beginRead() == 20)
        progress.add([.page30])
        // The page may have outcomes of another member that the read has not seen.
        #expect(progress.endRead(found: 30, from: 20) == false)
        #expect(progress.beginRead() == 30)
        #expect(progress.endRead(found: 30, from: 30) == true)
    }

    @Test mutating func `a block before the page that is read stays unread`() {
        progress.add([.pages0To1])
        #expect(progress.beginRead() == 4)
        #expect(progress.endRead(found: nil, from: 4) == false)
        #expect(progress.held == [.pages0To1])
        #expect(progress.beginRead() == 0)
    }

    @Test mutating func `a block with a recipient that stays pending does not end`() {
        #expect(progress.beginRead() == 4)
        #expect(progress.endRead(found: 4, from: 4) == true)
        progress.recipientKeptOnDisk(in: 4)
        progress.close(4)
        #expect(progress.beginRead() == 5)
        #expect(progress.endRead(found: nil, from: 5) == false)
        #expect(progress.takeEnded() == [.pages10To12])
        #expect(progress.isRead)
        #expect(progress.held == [.pages4To5])
    }

    @Test mutating func `pages that cannot be read keep all unread blocks`() {
        #expect(progress.beginRead() == 4)
        progress.recipientKeptOnDisk(in: nil)
        #expect(progress.endRead(found: nil, from: 4) == false)
        #expect(progress.takeEnded() == [])
        #expect(progress.isRead)
    }

    @Test mutating func `the last page of a message ends the blocks behind it`() {
        #expect(progress.beginRead() == 4)
        #expect(progress.endRead(found: 5, from: 4) == true)
        progress.foundLast(5)
        #expect(progress.isRead)
        #expect(progress.takeEnded() == [.pages10To12])
        progress.close(5)
        #expect(progress.takeEnded() == [.pages4To5])
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
