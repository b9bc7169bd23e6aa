import CarillonCluster
import CarillonCore
import Testing

/// The messages without a sender that a node claims.
struct TakeOverRuleTests {
    private let a = Member(node: NodeName("a")!, incarnation: 1)
    private let b = Member(node: NodeName("b")!, incarnation: 2)

    private var live: LiveMembers {
        var live = LiveMembers()
        for member in [a, b] {
            let id = LogEntry.ID(member: member, sequence: 1)
            live.apply(LogEntry(id: id, format: 1, content: .joined)!)
        }
        return live
    }

    private func messages(_ numbers: some Sequence<UInt64>) -> [MessageID] { numbers.map { MessageID(rawValue: $0) } }

    @Test func eachNodeClaimsItsShareAtOnceAndTheRestWhenItLooksAgain() {
        var (first, second) = (TakeOverRule(), TakeOverRule())
        #expect(first.makeClaims(of: messages(1...4), by: a, live) == messages([2, 4]))
        #expect(second.makeClaims(of: messages(1...4), by: b, live) == messages([1, 3]))
        // b has claimed 1, and 3 is free: its claim was lost.
        #expect(first.makeClaims(of: messages([3]), by: a, live) == messages([3]))
    }

    @Test func claimsAreBoundedAndComeAgainInTheNextIncarnation() {
        var rule = TakeOverRule()
        let free = messages(0..<4_000)
        #expect(rule.makeClaims(of: free, by: a, live).count == TakeOverRule.maximumClaims)
        rule.forget()
        #expect(rule.makeClaims(of: messages([3]), by: a, live) == [])
    }
}
