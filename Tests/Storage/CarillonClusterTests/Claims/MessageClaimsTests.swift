import CarillonCore
import Testing

@testable import CarillonCluster

/// The claims of the members a, b and c to the pages of one message.
struct MessageClaimsTests {
    private let a = SampleCluster.a.incarnation
    private let b = SampleCluster.b.incarnation
    private let c = SampleCluster.c.incarnation
    private var live = SampleCluster.live
    private var claims = MessageClaims(pageCount: 10, hasOneSender: false)

    private mutating func end(_ member: Member) {
        live.apply(SampleCluster.entry(of: SampleCluster.b, .expired(member)))
    }

    private func pages(_ pages: Range<UInt32>) -> PageBlock {
        PageBlock(first: pages.lowerBound, count: pages.upperBound - pages.lowerBound)
    }

    // MARK: Blocks

    @Test mutating func `the first claim in the log gets the pages`() {
        #expect(claims.claim(4, by: a, among: live) == [pages(0..<4)])
        #expect(claims.claim(4, by: b, among: live) == [pages(4..<8)])
        #expect(claims.claim(4, by: c, among: live) == [pages(8..<10)])
        #expect(claims.claim(4, by: a, among: live) == [])
        #expect(claims.claimablePages(by: a, among: live) == 0)
        #expect([0, 3, 4, 8, 9].map { claims.owner(of: $0, among: live) } == [a, a, b, c, c])
        #expect(claims.maySend(3, by: a, among: live))
        #expect(!claims.maySend(4, by: a, among: live))
    }

    @Test mutating func `the end of a member frees its pages`() {
        _ = claims.claim(4, by: a, among: live)
        _ = claims.claim(2, by: b, among: live)
        end(SampleCluster.a)
        #expect(claims.owner(of: 0, among: live) == nil)
        #expect(claims.claimablePages(by: b, among: live) == 8)
        // Free blocks come before new pages, and are claimed whole.
        #expect(claims.claim(1, by: b, among: live) == [pages(0..<4)])
        #expect(claims.claim(1, by: c, among: live) == [pages(6..<7)])
    }

    @Test mutating func `a message is complete when all blocks are`() {
        _ = claims.claim(6, by: a, among: live)
        _ = claims.claim(6, by: b, among: live)
        let completed = [
            claims.endBlock(at: 0, by: b), claims.endBlock(at: 1, by: a), claims.endBlock(at: 0, by: a),
        ]
        #expect(completed == [false, false, true], "a member ends its own blocks, at their first page")
        #expect(!claims.isComplete)
        #expect(claims.endBlock(at: 6, by: b) == true)
        #expect(claims.isComplete)
    }

    @Test mutating func `a released block is claimed and ended by another member`() {
        _ = claims.claim(10, by: b, among: live)
        #expect(claims.releaseBlock(at: 0, by: b) == true)
        #expect(!claims.isComplete)
        #expect(claims.claim(9, by: c, among: live) == [pages(0..<10)])
        #expect(claims.endBlock(at: 0, by: c) == true)
        #expect(claims.isComplete)
    }

    @Test func `a message without pages is complete`() {
        #expect(MessageClaims(pageCount: 0, hasOneSender: false).isComplete)
    }

    @Test mutating func `a member holds a bounded number of blocks`() {
        claims = MessageClaims(pageCount: 1_000_000, hasOneSender: false)
        let more = MessageClaims.maximumBlocksHeld + 10
        for _ in 0..<more { _ = claims.claim(1, by: a, among: live) }
        #expect(claims.blocks.count == MessageClaims.maximumBlocksHeld)
        end(SampleCluster.a)
        // Ten more incarnations claim, each after the one before is over: they get the free blocks, not new pages.
        for incarnation in 10..<20 as Range<UInt64> {
            live.apply(SampleCluster.entry(of: SampleCluster.member("a", incarnation), .joined))
            for _ in 0..<more { _ = claims.claim(1, by: incarnation, among: live) }
        }
        #expect(claims.blocks.count == MessageClaims.maximumBlocksHeld)
        #expect(
            claims.claim(.max, by: b, among: live) == [PageBlock(first: 512, count: MessageClaims.maximumBlockPages)])
    }

    // MARK: Whole messages

    @Test mutating func `a whole message has one sender`() {
        claims = .ofWholeMessage
        #expect(claims.claim(1, by: a, among: live) == [pages(0..<1)])
        #expect(claims.maySend(7, by: a, among: live))
        #expect(!claims.maySend(7, by: b, among: live))
        #expect(!claims.isShared)
    }

    @Test mutating func `the sender of a whole message shares its pages`() {
        claims = .ofWholeMessage
        _ = claims.claim(1, by: a, among: live)
        let shared = [
            claims.share(pages: 10, from: 2, by: b, among: live), claims.share(pages: 10, from: 2, by: a, among: live),
        ]
        #expect(shared == [false, true])
        #expect(claims.isShared)
        #expect(claims.pagesLeft(among: live) == 8)
        #expect(claims.owner(of: 2, among: live) == nil)
        #expect(claims.claim(3, by: b, among: live) == [pages(2..<5)])
        #expect(claims.share(pages: 10, from: 0, by: b, among: live) == false)
    }

    @Test mutating func `a whole message of a member that is over is shared by another member`() {
        claims = .ofWholeMessage
        _ = claims.claim(1, by: a, among: live)
        end(SampleCluster.a)
        #expect(claims.share(pages: 10, from: 0, by: b, among: live) == true)
        #expect(claims.pagesLeft(among: live) == 10)
    }

    // MARK: One sender

    @Test mutating func `a message with a pace has one sender at a time`() {
        claims = MessageClaims(pageCount: 10, hasOneSender: true)
        #expect(claims.claim(4, by: a, among: live) == [pages(0..<4)])
        #expect(claims.claim(4, by: b, among: live) == [])
        #expect(claims.claimablePages(by: b, among: live) == 0)
        end(SampleCluster.a)
        #expect(claims.claim(9, by: b, among: live) == [pages(0..<4), pages(4..<9)])
        #expect(claims.maySend(0, by: b, among: live))
        #expect(claims.claim(4, by: c, among: live) == [])
    }

    /// Claims the pages 0 and 1 for a, 2 and 3 for b, 4 and 5 for a, and sets a pace then.
    private mutating func setPaceWhileTwoMembersSend() {
        for member in [a, b, a] { _ = claims.claim(2, by: member, among: live) }
        claims.setOneSender(true, among: live)
    }

    @Test mutating func `a pace set later leaves the sender of the first block`() {
        setPaceWhileTwoMembersSend()
        #expect(claims.maySend(0, by: a, among: live))
        #expect(!claims.maySend(2, by: b, among: live))
        #expect([a, b].map { claims.blocksToRelease(by: $0) } == [[], [pages(2..<4)]])
    }

    @Test mutating func `the sender stays when its first block ends`() {
        setPaceWhileTwoMembersSend()
        #expect(claims.endBlock(at: 0, by: a) == true)
        #expect(claims.maySend(4, by: a, among: live))
        #expect(!claims.maySend(2, by: b, among: live))
    }

    @Test mutating func `the only sender gets the blocks that other members release`() {
        setPaceWhileTwoMembersSend()
        _ = claims.endBlock(at: 0, by: a)
        let before = claims.claim(2, by: a, among: live)
        #expect(claims.releaseBlock(at: 2, by: b) == true)
        let after = claims.claim(2, by: a, among: live)
        #expect([before, after] == [[], [pages(2..<4)]])
    }

    @Test mutating func `without a pace other members send again`() {
        setPaceWhileTwoMembersSend()
        claims.setOneSender(false, among: live)
        #expect(claims.claim(2, by: c, among: live) == [pages(6..<8)])
        #expect(claims.maySend(6, by: c, among: live))
        #expect(claims.maySend(2, by: b, among: live))
    }
}
