import CarillonCore
import Testing

@testable import CarillonCluster

/// The age of the state of this node.
struct FreshnessRuleTests {
    @Test func `a state is as new as the question for its head`() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 10)
        #expect(rule.isBehind(at: 0))
        #expect(rule.stalenessMilliseconds(at: 0) == nil)
        rule.headReported(10, askedAt: 100)
        #expect(!rule.isBehind(at: 1_100))
        #expect(rule.isBehind(at: 1_101))
    }

    @Test func `a state is only as new as the question whose head it has reached`() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 10)
        rule.headReported(10, askedAt: 100)
        rule.headReported(12, askedAt: 1_000)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 11)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 12)
        #expect(!rule.isBehind(at: 2_000))
        #expect(rule.stalenessMilliseconds(at: 2_000) == 1_000)
        #expect(rule.hasReached(12))
        #expect(!rule.hasReached(13))
    }

    /// Makes a rule that has asked for the head a hundred times, every 100 milliseconds. Each answer is a head that is
    /// ten entries further.
    ///
    /// - Parameter reach: applies entries after a question.
    private func rule(_ reach: (_ question: UInt64, inout FreshnessRule) -> Void = { _, _ in }) -> FreshnessRule {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 0)
        for question in 1...100 as ClosedRange<UInt64> {
            rule.headReported(LogPosition(question * 10), askedAt: Uptime(milliseconds: question * 100))
            reach(question, &rule)
        }
        return rule
    }

    @Test func `the staleness of a state that trails the head is its distance in time`() {
        let fiveBehind = rule { question, rule in
            if question > 5 { rule.entriesApplied(through: LogPosition((question - 5) * 10)) }
        }
        #expect(fiveBehind.stalenessMilliseconds(at: 10_000) == 500, "five questions")
    }

    @Test func `a state that reaches the head late is new again`() {
        var slow = rule()
        slow.entriesApplied(through: 10)
        #expect(slow.stalenessMilliseconds(at: 10_000) == 9_900)
        slow.entriesApplied(through: 1_000)
        #expect(slow.stalenessMilliseconds(at: 10_000) == 0)
    }
}
