import CarillonCore
import Testing

@testable import CarillonCluster

/// The answer of a read: at once, once the replica has reached a position, or a refusal.
struct ReadRuleTests {
    private var reads = ReadRule()
    private var freshness: FreshnessRule = {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 10)
        rule.headReported(10, askedAt: 100)
        return rule
    }()

    private mutating func begin(_ demand: ReadRule.Demand, until: Uptime? = 1_100, at now: Uptime)
        -> ReadRule.Decision
    {
        reads.begin(1, demanding: demand, deadline: now + 50, freshness: freshness, mayActUntil: until, at: now)
    }

    @Test mutating func `a read is refused once the replica is behind or may not act`() {
        #expect(begin(.recent, at: 1_099) == .answer)
        #expect(begin(.recent, at: 1_100) == .refuse(.behind))
        #expect(begin(.recent, until: nil, at: 200) == .refuse(.behind))
    }

    @Test mutating func `a read is answered when the replica reaches its position`() {
        #expect(begin(.containing(10), at: 200) == .answer)
        #expect(begin(.containing(11), at: 200) == .wait)
        freshness.entriesApplied(through: 11)
        #expect(reads.takeEnded(with: freshness, mayActUntil: 1_100, at: 210) == [ReadRule.End(read: 1, refusal: nil)])
    }

    @Test mutating func `a read of the latest state waits for a head that was asked for after it`() {
        #expect(begin(.latest, at: 100) == .answer)
        #expect(begin(.latest, at: 101) == .wait)
        #expect(reads.needsHead)
        freshness.headReported(12, askedAt: 101)
        #expect(reads.takeEnded(with: freshness, mayActUntil: 1_100, at: 120) == [])
        freshness.entriesApplied(through: 12)
        #expect(reads.takeEnded(with: freshness, mayActUntil: 1_100, at: 121) == [ReadRule.End(read: 1, refusal: nil)])
        #expect(!reads.needsHead)
    }

    @Test mutating func `a read that waits too long is refused`() {
        #expect(begin(.containing(11), at: 200) == .wait)
        #expect(reads.nextDeadline == 250)
        #expect(reads.takeEnded(with: freshness, mayActUntil: 1_100, at: 249) == [])
        #expect(
            reads.takeEnded(with: freshness, mayActUntil: 1_100, at: 250) == [
                ReadRule.End(read: 1, refusal: .notReached)
            ]
        )
    }

    @Test mutating func `a read that waits is refused if the node may not act any more`() {
        #expect(begin(.containing(11), at: 200) == .wait)
        #expect(
            reads.takeEnded(with: freshness, mayActUntil: nil, at: 250) == [ReadRule.End(read: 1, refusal: .behind)])
    }

    @Test mutating func `reads that wait are bounded`() {
        for _ in 0..<ReadRule.maximumWaiting { _ = begin(.containing(11), at: 200) }
        #expect(begin(.containing(11), at: 200) == .refuse(.overloaded))
    }
}
