import CarillonCore
import Testing

@testable import CarillonCluster

/// The pages that a node claims, and the shares of nodes that plan their claims alike.
struct ClaimPlannerTests {
    private func simulate(pages: UInt32, rates: [Int], knownRates: [Int] = []) -> FanOutSimulation.End {
        var simulation = FanOutSimulation(pages: pages, rates: rates, knownRates: knownRates)
        return simulation.run()
    }

    /// A message and the nodes that send it.
    struct FanOut: CustomTestStringConvertible {
        let pages: UInt32
        /// The pages a second of each node.
        let rates: [Int]
        /// The smallest share of each node, in percent.
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
    func `a large fan-out uses all nodes`(_ fanOut: FanOut) {
        let end = simulate(pages: fanOut.pages, rates: fanOut.rates)
        let pages = Int(fanOut.pages)
        #expect(end.sent.reduce(0, +) == pages)
        for (sent, share) in zip(end.sent, fanOut.shares) { #expect(sent * 100 >= pages * share, "\(end.sent)") }
        // The nodes end at about the same time.
        #expect(end.gapMilliseconds < 3_000)
    }

    @Test(arguments: [[60, 60, 60], [0, 0, 0], [0, 60, 60], [5, 60, 60], [60, 0, 0]])
    func `a fan-out of three seconds uses all nodes whatever they have sent before`(knownRates: [Int]) {
        let end = simulate(pages: 540, rates: [60, 60, 60], knownRates: knownRates)
        for sent in end.sent { #expect(sent * 100 >= 540 * 28, "\(end.sent)") }
        #expect(end.gapMilliseconds < 500)
    }

    @Test func `a node claims no more pages than it needs`() {
        var planner = ClaimPlanner(at: 0)
        let one = ClaimPlanner.Candidate(
            message: MessageID(rawValue: 1), claimablePages: 1_000, pagesNotBegun: 0, isIdle: false)
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 10).map(\.pages) == [8])
        // Only one claim of a message waits for its answer at a time.
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 10).isEmpty)
        planner.claimEnded(one.message)
        for time in [500, 1_500, 2_500] as [UInt64] { planner.pagesEnded(20, at: Uptime(milliseconds: time)) }
        #expect(planner.pagesPerSecond(at: 3_600) == 18)
        #expect(planner.makeClaims(among: [one], nodes: 3, at: 3_600).map(\.pages) == [18])
    }

    @Test func `a claim waits for other changes while the node has pages`() {
        var planner = ClaimPlanner(at: 0)
        func candidate(_ notBegun: UInt32, isIdle: Bool = false) -> ClaimPlanner.Candidate {
            ClaimPlanner.Candidate(
                message: MessageID(rawValue: 1), claimablePages: 1_000, pagesNotBegun: notBegun, isIdle: isIdle)
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

    @Test func `a node first claims messages of which it holds no pages`() {
        var planner = ClaimPlanner(at: 0)
        let candidates = [
            ClaimPlanner.Candidate(
                message: MessageID(rawValue: 1), claimablePages: 100, pagesNotBegun: 50, isIdle: false),
            ClaimPlanner.Candidate(message: MessageID(rawValue: 2), claimablePages: 1, pagesNotBegun: 0, isIdle: true),
        ]
        let claims = planner.makeClaims(among: candidates, nodes: 3, at: 0)
        #expect(claims.map(\.message.rawValue) == [2])
        #expect(claims.map(\.pages) == [1])
    }
}
