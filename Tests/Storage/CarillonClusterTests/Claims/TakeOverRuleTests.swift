import CarillonCore
import Testing

@testable import CarillonCluster

/// The messages without a sender that a node claims.
struct TakeOverRuleTests {
    private let a = SampleCluster.a
    private let b = SampleCluster.b
    /// The members a and b.
    private let live: LiveMembers = {
        var live = SampleCluster.live
        live.apply(SampleCluster.entry(of: SampleCluster.c, .left))
        return live
    }()

    private func messages(_ numbers: some Sequence<UInt64>) -> [MessageID] { numbers.map { MessageID(rawValue: $0) } }

    @Test func `each node claims its share at once and messages that are still free at its next look`() {
        var first = TakeOverRule()
        var second = TakeOverRule()
        #expect(first.makeClaims(of: messages(1...4), by: a, among: live) == messages([2, 4]))
        #expect(second.makeClaims(of: messages(1...4), by: b, among: live) == messages([1, 3]))
        // b has message 1 now, but not 3, because that claim was lost. So a claims it at its next look.
        #expect(first.makeClaims(of: messages([3]), by: a, among: live) == messages([3]))
    }

    @Test func `claims are bounded and the next incarnation remembers no message`() {
        var rule = TakeOverRule()
        let free = messages(0..<4_000)
        #expect(rule.makeClaims(of: free, by: a, among: live).count == TakeOverRule.maximumClaims)
        rule.forget()
        #expect(rule.makeClaims(of: messages([3]), by: a, among: live) == [])
    }
}
