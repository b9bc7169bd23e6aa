import CarillonCore
import Testing

@testable import CarillonCluster

/// The answer to a change that no push may follow, once all nodes know the change.
struct AnswerRuleTests {
    private static let a = SampleCluster.a
    private static let b = SampleCluster.b
    private static let c = SampleCluster.c

    private static func view(_ applied: KeyValuePairs<Member, LogPosition>) -> ClusterView {
        SampleCluster.view(applied.map { SampleCluster.node($0.key, applied: $0.value) })
    }

    private var rule = AnswerRule(member: a, maximumStalenessMilliseconds: 1_000, marginMilliseconds: 500)

    @Test mutating func `an answer waits until all nodes have reported the position`() {
        rule.delayAnswer(toEntryAt: 10, now: 100)
        #expect(rule.isWaiting)
        #expect(rule.takeAnswerable(at: 100) == nil)
        rule.viewReceived(Self.view([Self.a: 10, Self.b: 10, Self.c: 9]), askedAt: 110, at: 112)
        #expect(rule.takeAnswerable(at: 112) == nil)
        rule.viewReceived(Self.view([Self.a: 10, Self.b: 10, Self.c: 10]), askedAt: 120, at: 122)
        #expect(rule.takeAnswerable(at: 122) == 10)
        #expect(!rule.isWaiting)
        #expect(rule.takeAnswerable(at: 122) == nil)
    }

    @Test mutating func `a view requested before the change ends no wait`() {
        // A node may have joined since.
        rule.viewReceived(Self.view([Self.a: 9]), askedAt: 90, at: 110)
        rule.delayAnswer(toEntryAt: 10, now: 100)
        #expect(rule.takeAnswerable(at: 110) == nil)
        rule.viewReceived(Self.view([Self.a: 9, Self.b: 5]), askedAt: 100, at: 112)
        #expect(rule.takeAnswerable(at: 112) == nil)
    }

    @Test mutating func `an answer waits at most for the greatest staleness`() {
        rule.delayAnswer(toEntryAt: 10, now: 100)
        rule.delayAnswer(toEntryAt: 11, now: 300)
        rule.viewReceived(Self.view([Self.b: 3]), askedAt: 110, at: 112)
        #expect(rule.nextEnd == 1_600)
        #expect(rule.takeAnswerable(at: 1_599) == nil)
        #expect(rule.takeAnswerable(at: 1_600) == 10)
        #expect(rule.takeAnswerable(at: 1_800) == 11)
        #expect(rule.nextEnd == nil)
    }

    @Test mutating func `an answer waits for the staleness of a node that is over`() {
        rule.viewReceived(Self.view([Self.b: 3]), askedAt: 10, at: 12)
        rule.delayAnswer(toEntryAt: 10, now: 100)
        rule.viewReceived(Self.view([:]), askedAt: 110, at: 112)
        #expect(rule.takeAnswerable(at: 1_599) == nil)
        rule.viewReceived(Self.view([:]), askedAt: 1_598, at: 1_599)
        rule.delayAnswer(toEntryAt: 20, now: 1_599)
        // The node b was first missing at 112: it is waited for until 1,612.
        rule.viewReceived(Self.view([:]), askedAt: 1_612, at: 1_613)
        #expect(rule.takeAnswerable(at: 1_613) == 20)
    }

    @Test mutating func `a single node waits for one view`() {
        rule.delayAnswer(toEntryAt: 10, now: 100)
        rule.viewReceived(Self.view([Self.a: 0]), askedAt: 100, at: 101)
        #expect(rule.takeAnswerable(at: 101) == 10)
    }

    @Test mutating func `the memory of positions is bounded`() {
        for number in 1...2_000 as ClosedRange<UInt64> {
            rule.delayAnswer(toEntryAt: LogPosition(number), now: Uptime(milliseconds: number))
        }
        #expect(rule.takeAnswerable(at: 1_500 + 1_023) == 1_023)
        // The positions after 1,023 share one place, whose wait ends with that of the last.
        #expect(rule.takeAnswerable(at: 3_499) == nil)
        #expect(rule.takeAnswerable(at: 3_500) == 2_000)
    }
}
