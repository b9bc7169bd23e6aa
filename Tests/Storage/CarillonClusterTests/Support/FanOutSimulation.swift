import CarillonCore

@testable import CarillonCluster

/// A simulation of three nodes that share the pages of one message, each at its own speed.
struct FanOutSimulation {
    /// The result of a fan-out.
    struct End {
        /// The pages that each node has sent.
        var sent: [Int]
        /// The milliseconds between the end of the first node and of the last.
        var gapMilliseconds: UInt64
    }

    /// A node, which sends its pages one after the other.
    private struct Sender {
        let member: UInt64
        /// The pages that it sends a second.
        let rate: Int
        var planner = ClaimPlanner(at: 0)
        var blocks: [(pages: PageBlock, sent: UInt32)] = []
        /// The thousandths of a page for which there was time since the last page.
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
                sent += 1
                lastSent = now
                blocks[0].sent += 1
                planner.pagesEnded(1, at: Uptime(milliseconds: now))
                if blocks[0].sent == blocks[0].pages.count { complete.append(blocks.removeFirst().pages) }
            }
            return complete
        }
    }

    /// A claim on its way to the log and back.
    private struct ClaimUnderWay {
        var answeredAt: UInt64
        var sender: Int
        var pages: UInt32
    }

    private static let message = MessageID(rawValue: 1)
    private static let stepMilliseconds = 25
    /// The milliseconds until a claim is answered, if it is made at once, and if it waits for other changes.
    private static let (claimMilliseconds, waitingClaimMilliseconds): (UInt64, UInt64) = (100, 250)
    /// The time at which a fan-out that does not end is given up.
    private static let longestMilliseconds: UInt64 = 3_600_000

    private let live = SampleCluster.live
    private var claims: MessageClaims
    private var senders: [Sender]
    private var underWay: [ClaimUnderWay] = []
    private var now: UInt64 = 1_000

    /// Makes a simulation of nodes that send one message.
    ///
    /// - Parameters:
    ///   - rates: the pages that each node sends a second.
    ///   - knownRates: the rates that the planners of the nodes have found before.
    init(pages: UInt32, rates: [Int], knownRates: [Int] = []) {
        claims = MessageClaims(pageCount: pages, hasOneSender: false)
        senders = rates.enumerated().map { Sender(member: UInt64($0) + 1, rate: $1) }
        for (sender, rate) in knownRates.enumerated() { senders[sender].planner.pagesEnded(rate, at: 0) }
    }

    /// Runs until every page is sent.
    mutating func run() -> End {
        while !claims.isComplete, now < Self.longestMilliseconds {
            now += UInt64(Self.stepMilliseconds)
            answerClaims()
            for sender in senders.indices {
                send(by: sender)
                claim(by: sender)
            }
        }
        let ends = senders.map(\.lastSent)
        return End(sent: senders.map(\.sent), gapMilliseconds: (ends.max() ?? 0) - (ends.min() ?? 0))
    }

    private mutating func answerClaims() {
        underWay.sort { $0.answeredAt < $1.answeredAt }
        while let claim = underWay.first, claim.answeredAt <= now {
            underWay.removeFirst()
            let claimed = claims.claim(claim.pages, by: senders[claim.sender].member, among: live)
            senders[claim.sender].blocks += claimed.map { (pages: $0, sent: 0) }
            senders[claim.sender].planner.claimEnded(Self.message)
        }
    }

    private mutating func send(by sender: Int) {
        for block in senders[sender].send(for: Self.stepMilliseconds, at: now) {
            _ = claims.endBlock(at: block.first, by: senders[sender].member)
        }
    }

    private mutating func claim(by sender: Int) {
        let candidate = ClaimPlanner.Candidate(
            message: Self.message, claimablePages: claims.claimablePages(by: senders[sender].member, among: live),
            pagesNotBegun: senders[sender].notBegun, isIdle: senders[sender].blocks.isEmpty)
        let time = Uptime(milliseconds: now)
        for claim in senders[sender].planner.makeClaims(among: [candidate], nodes: senders.count, at: time) {
            let wait = claim.mayWait ? Self.waitingClaimMilliseconds : Self.claimMilliseconds
            underWay.append(ClaimUnderWay(answeredAt: now + wait, sender: sender, pages: claim.pages))
        }
    }
}
