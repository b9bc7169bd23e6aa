import CarillonCore
import Testing

@testable import CarillonCluster

/// The age of the state of this node.
struct FreshnessRuleTests {
    @Test func aStateIsAsNewAsTheQuestionForItsHead() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 10)
        #expect(rule.isBehind(at: 0))
        #expect(rule.stalenessMilliseconds(at: 0) == nil)
        rule.headReported(10, askedAt: 100)
        #expect([rule.isBehind(at: 1_100), rule.isBehind(at: 1_101)] == [false, true])
        rule.headReported(12, askedAt: 1_000)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 11)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 12)
        #expect(!rule.isBehind(at: 2_000))
        #expect(rule.stalenessMilliseconds(at: 2_000) == 1_000)
        #expect([rule.hasReached(12), rule.hasReached(13)] == [true, false])
    }

    @Test func aStateThatNeverReachesTheHeadIsAsNewAsTheHeadThatItHasReached() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 0)
        for second in 1...100 as ClosedRange<UInt64> {
            rule.headReported(LogPosition(second * 10), askedAt: Uptime(milliseconds: second * 100))
            if second > 5 { rule.entriesApplied(through: LogPosition((second - 5) * 10)) }
        }
        // It is five questions behind: half a second.
        #expect(rule.stalenessMilliseconds(at: 10_000) == 500)
        var slow = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 0)
        for second in 1...100 as ClosedRange<UInt64> {
            slow.headReported(LogPosition(second * 10), askedAt: Uptime(milliseconds: second * 100))
        }
        slow.entriesApplied(through: 10)
        #expect(slow.stalenessMilliseconds(at: 10_000) == 9_900)
        slow.entriesApplied(through: 1_000)
        #expect(slow.stalenessMilliseconds(at: 10_000) == 0)
    }
}
