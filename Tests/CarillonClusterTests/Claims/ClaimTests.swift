import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The claims of pages: their members, the effect of the end of a member, and the shares of a fan-out.
struct ClaimTests {

    private static func entry(_ member: Member, _ content: LogEntry.Content) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: 1), format: 1, content: content)!
    }

    private static func member(_ name: String, _ incarnation: UInt64) -> Member {
        Member(node: NodeName(name)!, incarnation: incarnation)
    }

    /// The members a/1, b/2 and c/3.
    private static var live: LiveMembers {
        var live = LiveMembers()
        for (index, name) in ["a", "b", "c"].enumerated() {
            live.apply(entry(member(name, UInt64(index) + 1), .joined))
        }
        return live
    }

    private var live = live
    private var claims = MessageClaims(pageCount: 10, hasOneSender: false)

    private mutating func end(_ member: Member) { live.apply(Self.entry(Self.member("z", 9), .expired(member))) }

    // MARK: Members

    @Test func aMemberEndsWhenItLeavesIsExpiredOrItsNodeJoinsAgain() {
        var live = Self.live
        #expect(live.apply(Self.entry(Self.member("a", 1), .left)) == [Self.member("a", 1)])
        #expect(live.apply(Self.entry(Self.member("b", 2), .expired(Self.member("c", 3)))) == [Self.member("c", 3)])
        #expect(live.apply(Self.entry(Self.member("b", 4), .joined)) == [Self.member("b", 2)])
        #expect(live.members == [Self.member("b", 4)])
        #expect(live.oldest == Self.member("b", 4))
        #expect([1, 2, 3, 4, 5].map { live.isLive($0) } == [false, false, false, true, false])
        #expect(live.apply(Self.entry(Self.member("b", 4), .expired(Self.member("c", 3)))) == [])
    }

    // MARK: Counts

    @Test mutating func claimsAreCountedByTheMembersThatLive() {
        var whole = MessageClaims.whole
        _ = whole.claim(1, by: 1, live)
        _ = claims.claim(4, by: 1, live)
        _ = claims.claim(2, by: 2, live)
        _ = claims.claim(1, by: 1, live)
        _ = claims.claim(3, by: 3, live)
        _ = claims.release(blockAt: 4, by: 2)
        end(Self.member("c", 3))
        var counts = ClaimCounts(live)
        for each in [whole, claims] { counts.add(each) }
        let expected: [(messages: UInt64, blocks: UInt64, pages: UInt64)] = [
            (messages: 2, blocks: 2, pages: 5), (0, 0, 0), (0, 0, 0),
        ]
        for (index, count) in expected.enumerated() {
            let found = counts[UInt64(index) + 1]
            #expect((found.messages, found.blocks, found.pages) == count, "member \(index + 1)")
        }
    }

    // MARK: Blocks

    @Test mutating func theFirstClaimInTheLogGetsThePages() {
        #expect(claims.claim(4, by: 1, live) == [PageBlock(first: 0, count: 4)])
        #expect(claims.claim(4, by: 2, live) == [PageBlock(first: 4, count: 4)])
        #expect(claims.claim(4, by: 3, live) == [PageBlock(first: 8, count: 2)])
        #expect(claims.claim(4, by: 1, live) == [])
        #expect(claims.claimablePages(by: 1, live) == 0)
        #expect([0, 3, 4, 8, 9].map { claims.owner(of: $0, live) } == [1, 1, 2, 3, 3])
        #expect(claims.maySend(3, by: 1, live))
        #expect(!claims.maySend(4, by: 1, live))
    }

    @Test mutating func theEndOfAMemberFreesItsPages() {
        _ = claims.claim(4, by: 1, live)
        _ = claims.claim(2, by: 2, live)
        end(Self.member("a", 1))
        #expect(claims.owner(of: 0, live) == nil)
        #expect(claims.claimablePages(by: 2, live) == 8)
        // What is free comes before what is new, as whole blocks.
        #expect(claims.claim(1, by: 2, live) == [PageBlock(first: 0, count: 4)])
        #expect(claims.claim(1, by: 3, live) == [PageBlock(first: 6, count: 1)])
    }

    @Test mutating func aMessageIsCompleteWhenAllBlocksAre() {
        _ = claims.claim(6, by: 1, live)
        _ = claims.claim(6, by: 2, live)
        let completed = [
            claims.endBlock(at: 0, by: 2), claims.endBlock(at: 1, by: 1), claims.endBlock(at: 0, by: 1),
        ]
        #expect(completed == [false, false, true])
        #expect(!claims.isComplete)
        #expect(claims.release(blockAt: 6, by: 2) == true)
        #expect(!claims.isComplete)
        #expect(claims.claim(9, by: 3, live) == [PageBlock(first: 6, count: 4)])
        #expect(claims.endBlock(at: 6, by: 3) == true)
        #expect(claims.isComplete)
        #expect(MessageClaims(pageCount: 0, hasOneSender: false).isComplete)
    }

    @Test mutating func aMemberHoldsABoundedNumberOfBlocks() {
        claims = MessageClaims(pageCount: 1_000_000, hasOneSender: false)
        let more = MessageClaims.maximumBlocksHeld + 10
        for _ in 0..<more { _ = claims.claim(1, by: 1, live) }
        #expect(claims.blocks.count == MessageClaims.maximumBlocksHeld)
        end(Self.member("a", 1))
        // More lives of nodes take what is free first.
        for incarnation in 10..<20 as Range<UInt64> {
            live.apply(Self.entry(Self.member("a", incarnation), .joined))
            for _ in 0..<more { _ = claims.claim(1, by: incarnation, live) }
        }
        #expect(claims.blocks.count == MessageClaims.maximumBlocksHeld)
        #expect(claims.claim(.max, by: 2, live) == [PageBlock(first: 512, count: MessageClaims.maximumBlockPages)])
    }

    // MARK: Whole messages

    @Test mutating func aWholeMessageHasOneSenderUntilItSharesIt() throws {
        claims = .whole
        #expect(claims.claim(1, by: 1, live) == [PageBlock(first: 0, count: 1)])
        #expect([claims.maySend(7, by: 1, live), claims.maySend(7, by: 2, live)] == [true, false])
        #expect(try MessageClaims(claims.bytes) == claims)
        #expect(try !claims.isShared)
        let shared = [
            claims.share(pages: 10, from: 2, by: 2, live), claims.share(pages: 10, from: 2, by: 1, live),
        ]
        #expect(shared == [false, true])
        #expect((claims.isShared, claims.pagesLeft(live), claims.owner(of: 2, live)) == (true, 8, nil))
        #expect(claims.claim(3, by: 2, live) == [PageBlock(first: 2, count: 3)])
        #expect(claims.share(pages: 10, from: 0, by: 2, live) == false)
    }

    @Test mutating func aWholeMessageOfAMemberThatIsOverIsSharedByAnother() {
        claims = .whole
        _ = claims.claim(1, by: 1, live)
        end(Self.member("a", 1))
        #expect(claims.share(pages: 10, from: 0, by: 2, live) == true)
        #expect(claims.pagesLeft(live) == 10)
    }

    // MARK: One sender

    @Test mutating func aMessageWithAPaceHasOneSenderAtATime() {
        claims = MessageClaims(pageCount: 10, hasOneSender: true)
        #expect(claims.claim(4, by: 1, live) == [PageBlock(first: 0, count: 4)])
        #expect(claims.claim(4, by: 2, live) == [])
        #expect(claims.claimablePages(by: 2, live) == 0)
        end(Self.member("a", 1))
        #expect(claims.claim(9, by: 2, live) == [PageBlock(first: 0, count: 4), PageBlock(first: 4, count: 5)])
        #expect(claims.maySend(0, by: 2, live))
        #expect(claims.claim(4, by: 3, live) == [])
    }

    @Test mutating func aPaceSetLaterLeavesOneSender() {
        _ = claims.claim(2, by: 1, live)
        _ = claims.claim(2, by: 2, live)
        _ = claims.claim(2, by: 1, live)
        claims.setOneSender(true, live)
        #expect([claims.maySend(0, by: 1, live), claims.maySend(2, by: 2, live)] == [true, false])
        #expect([claims.toRelease(by: 2), claims.toRelease(by: 1)] == [[PageBlock(first: 2, count: 2)], []])
        // The end of the sender's first block makes no other one the sender.
        #expect(claims.endBlock(at: 0, by: 1) == true)
        #expect([claims.maySend(4, by: 1, live), claims.maySend(2, by: 2, live)] == [true, false])
        let before = claims.claim(2, by: 1, live)
        #expect(claims.release(blockAt: 2, by: 2) == true)
        let after = claims.claim(2, by: 1, live)
        #expect([before, after] == [[], [PageBlock(first: 2, count: 2)]])
        claims.setOneSender(false, live)
        #expect(claims.claim(2, by: 2, live) == [PageBlock(first: 6, count: 2)])
        #expect(claims.maySend(6, by: 2, live))
    }

    @Test func theSilentMessagesOfAnAppHaveOneSender() {
        let live = Self.live
        #expect(SilentPushClaim.mayClaim(nil, by: 1, live))
        let one = SilentPushClaim.afterClaim(nil, blocks: 2, by: 1)
        #expect(SilentPushClaim.mayClaim(one, by: 1, live))
        #expect(!SilentPushClaim.mayClaim(one, by: 2, live))
        let less = SilentPushClaim.afterBlockEnded(one, by: 1)
        #expect(less?.blocks == 1)
        #expect(less.flatMap { SilentPushClaim.afterBlockEnded($0, by: 1) } == nil)
        #expect(SilentPushClaim.afterBlockEnded(one, by: 2) == one)
        var fewer = live
        fewer.apply(Self.entry(Self.member("b", 2), .expired(Self.member("a", 1))))
        #expect(SilentPushClaim.mayClaim(one, by: 2, fewer))
        #expect(SilentPushClaim.afterClaim(one, blocks: 1, by: 2).blocks == 1)
    }

    // MARK: Bytes

    @Test mutating func rowsAreReadAsTheyWereWritten() throws {
        _ = claims.claim(4, by: 1, live)
        _ = claims.claim(4, by: 2, live)
        _ = claims.release(blockAt: 0, by: 1)
        #expect(try MessageClaims(claims.bytes) == claims)
        claims.setOneSender(true, live)
        #expect(try MessageClaims(claims.bytes) == claims)
        #expect(try LiveMembers(live.bytes) == live)
        let silent = SilentPushClaim.afterClaim(nil, blocks: 3, by: 7)
        #expect(try SilentPushClaim(silent.bytes) == silent)
    }

    @Test func damagedRowsAreRefused() {
        var random = SeededGenerator(seed: TestSeeds.one())
        var claims = MessageClaims(pageCount: 100, hasOneSender: true)
        for _ in 0..<5 { _ = claims.claim(3, by: 1, Self.live) }
        let rows = [claims.bytes, Self.live.bytes, SilentPushClaim.afterClaim(nil, blocks: 3, by: 7).bytes]
        for row in rows {
            for length in 0..<row.count { Self.read(Array(row.prefix(length))) }
            for _ in 0..<200 {
                var damaged = row
                damaged[Int.random(in: 0..<row.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                Self.read(damaged)
            }
            #expect(throws: StoredBytesError.self) { try LiveMembers(row + [0]) }
            #expect(throws: StoredBytesError.self) { try SilentPushClaim(row + [0]) }
            #expect(throws: StoredBytesError.self) { try MessageClaims(Array(row.prefix(17))) }
        }
    }

    /// Reads bytes, and expects that bytes that can be read are written as they were read.
    private static func read(_ bytes: [UInt8]) {
        if let read = try? MessageClaims(bytes) { #expect(read.bytes == bytes) }
        if let read = try? LiveMembers(bytes) { #expect(read.bytes == bytes) }
        if let read = try? SilentPushClaim(bytes) { #expect(read.bytes == bytes) }
    }

    // MARK: Sharing

    /// A node of a fan-out, which sends `rate` pages a second, one after the other.
    private struct Sender {
        let member: UInt64
        let rate: Int
        var planner = ClaimPlanner(at: 0)
        var blocks: [(pages: PageBlock, sent: UInt32)] = []
        var thousandths = 0
        var sent = 0
        var lastSent: UInt64 = 0

        var notBegun: UInt32 { blocks.reduce(0) { $0 + $1.pages.count - $1.sent } }

        /// Sends for a time, and returns the blocks that are complete.
        mutating func send(for milliseconds: Int, at now: UInt64) -> [PageBlock] {
            thousandths = blocks.isEmpty ? 0 : thousandths + rate * milliseconds
            var complete: [PageBlock] = []
            while thousandths >= 1_000, !blocks.isEmpty {
                thousandths -= 1_000
                (sent, lastSent) = (sent + 1, now)
                blocks[0].sent += 1
                planner.pagesEnded(1, at: Uptime(milliseconds: now))
                if blocks[0].sent == blocks[0].pages.count { complete.append(blocks.removeFirst().pages) }
            }
            return complete
        }
    }

    /// Shares a message among three nodes that send at these rates, in pages a second. A claim takes a tenth of a
    /// second, and 150 milliseconds more if it may wait.
    ///
    /// - Parameter knownRates: the rates that the planners of the nodes have found before.
    /// - Returns: the pages of each, and the seconds between the end of the first and of the last.
    private static func shared(
        pages: UInt32, rates: [Int], knownRates: [Int]? = nil
    ) -> (sent: [Int], gap: Double) {
        let message = MessageID(rawValue: 1)
        var claims = MessageClaims(pageCount: pages, hasOneSender: false)
        var senders = rates.enumerated().map { Sender(member: UInt64($0) + 1, rate: $1) }
        for (node, rate) in (knownRates ?? []).enumerated() { senders[node].planner.pagesEnded(rate, at: 0) }
        var log: [(time: UInt64, node: Int, pages: UInt32)] = []
        var time: UInt64 = 1_000
        while !claims.isComplete, time < 3_600_000 {
            time += 25
            while let entry = log.first, entry.time <= time {
                log.removeFirst()
                let claimed = claims.claim(entry.pages, by: senders[entry.node].member, live)
                senders[entry.node].blocks += claimed.map { ($0, 0) }
                senders[entry.node].planner.claimEnded(message)
            }
            for node in senders.indices {
                let member = senders[node].member
                for block in senders[node].send(for: 25, at: time) {
                    _ = claims.endBlock(at: block.first, by: member)
                }
                let candidate = ClaimPlanner.Candidate(
                    message: message, claimable: claims.claimablePages(by: member, live),
                    notBegun: senders[node].notBegun, isIdle: senders[node].blocks.isEmpty)
                let now = Uptime(milliseconds: time)
                for claim in senders[node].planner.makeClaims(among: [candidate], nodes: 3, at: now) {
                    log.append((time + (claim.mayWait ? 250 : 100), node, claim.pages))
                }
            }
            log.sort { $0.time < $1.time }
        }
        let ends = senders.map(\.lastSent)
        return (senders.map(\.sent), Double((ends.max() ?? 0) - (ends.min() ?? 0)) / 1_000)
    }

    /// A message and the nodes that send it.
    struct FanOut: CustomTestStringConvertible {
        let pages: UInt32
        /// The pages a second of each node.
        let rates: [Int]
        /// The least share of each node, in percent.
        let shares: [Int]

        var testDescription: String { "\(pages) pages at \(rates)" }
    }

    @Test(
        arguments: [
            FanOut(pages: 2_000, rates: [5, 5, 5], shares: [32, 32, 32]),
            FanOut(pages: 2_000, rates: [20, 20, 20], shares: [32, 32, 32]),
            FanOut(pages: 300, rates: [5, 5, 5], shares: [30, 30, 30]),
            FanOut(pages: 2_000, rates: [10, 5, 5], shares: [47, 22, 22]),
            FanOut(pages: 30, rates: [5, 5, 5], shares: [20, 20, 20]),
            FanOut(pages: 24_414, rates: [60, 60, 60], shares: [32, 32, 32]),
        ])
    func aLargeFanOutUsesAllNodes(_ fanOut: FanOut) {
        let (sent, gap) = Self.shared(pages: fanOut.pages, rates: fanOut.rates)
        let pages = Int(fanOut.pages)
        #expect(sent.reduce(0, +) == pages)
        for (node, count) in sent.enumerated() { #expect(count * 100 >= pages * fanOut.shares[node], "\(sent)") }
        // They end at about the same time.
        #expect(gap < 3, "\(gap) s")
    }

    @Test(arguments: [[60, 60, 60], [0, 0, 0], [0, 60, 60], [5, 60, 60], [60, 0, 0]])
    func aFanOutOfThreeSecondsUsesAllNodesWhateverTheyHaveSentBefore(knownRates: [Int]) {
        let (sent, gap) = Self.shared(pages: 540, rates: [60, 60, 60], knownRates: knownRates)
        for count in sent { #expect(count * 100 >= 540 * 28, "\(sent)") }
        #expect(gap < 0.5, "\(gap) s")
    }

    @Test func aNodeClaimsNoMoreThanItNeeds() {
        var planner = ClaimPlanner(at: 0)
        let one = ClaimPlanner.Candidate(
            message: MessageID(rawValue: 1), claimable: 1_000, notBegun: 0, isIdle: false)
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 10).map(\.pages) == [8])
        // One claim of a message is under way at a time.
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 10).isEmpty)
        planner.claimEnded(one.message)
        for time in [500, 1_500, 2_500] as [UInt64] { planner.pagesEnded(20, at: Uptime(milliseconds: time)) }
        #expect(planner.pagesPerSecond(at: 3_600) == 18)
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 3_600).map(\.pages) == [18])
    }

    @Test func aClaimWaitsForOtherChangesWhileTheNodeHasPages() {
        var planner = ClaimPlanner(at: 0)
        func candidate(_ notBegun: UInt32, isIdle: Bool = false) -> ClaimPlanner.Candidate {
            ClaimPlanner.Candidate(
                message: MessageID(rawValue: 1), claimable: 1_000, notBegun: notBegun, isIdle: isIdle)
        }
        func waits(_ candidate: ClaimPlanner.Candidate, at now: Uptime = 1_000) -> [Bool] {
            defer { planner.claimEnded(candidate.message) }
            return planner.makeClaims(among: [candidate], nodes: 3, at: now).map(\.mayWait)
        }
        #expect(waits(candidate(2), at: 0) == [false], "it is not known yet how fast the node is")
        planner.pagesEnded(10, at: 500)
        #expect(planner.pagesPerSecond(at: 1_000) == 20)
        #expect(waits(candidate(8)) == [true], "pages of 400 milliseconds")
        #expect(waits(candidate(7)) == [false])
        #expect(waits(candidate(0, isIdle: true)) == [false])
    }

    @Test func aNodeFirstClaimsMessagesOfWhichItHoldsNoPages() {
        var planner = ClaimPlanner(at: 0)
        let candidates = [
            ClaimPlanner.Candidate(message: MessageID(rawValue: 1), claimable: 100, notBegun: 50, isIdle: false),
            ClaimPlanner.Candidate(message: MessageID(rawValue: 2), claimable: 1, notBegun: 0, isIdle: true),
        ]
        let claims = planner.makeClaims(among: candidates, nodes: 3, at: 0)
        #expect(claims.map(\.message.rawValue) == [2])
        #expect(claims.map(\.pages) == [1])
    }
}
