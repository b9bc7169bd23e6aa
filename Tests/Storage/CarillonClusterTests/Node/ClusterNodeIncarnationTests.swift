import CarillonCore
import Testing

@testable import CarillonCluster

/// The incarnations of a node: how one ends, how the next begins, and how the node ends that of a silent node.
struct ClusterNodeIncarnationTests {
    private typealias Node = NodeUnderTest

    private var test = Node()
    private let again = SampleCluster.member("a", 5)

    init() throws { try test.becomeReady() }

    @Test mutating func `a fenced node joins again`() {
        #expect(test.node.mayActUntil != nil)
        _ = test.beginBatch()
        let fenced = test.failAppend(with: .fenced)
        #expect(fenced.contains { if case .finish(_, .refused(.fenced)) = $0 { true } else { false } })
        #expect(fenced.contains(.endIncarnation(Node.a)))
        #expect(fenced.contains { if case .call(.join) = $0 { true } else { false } })
        #expect(test.node.mayActUntil == nil)
        #expect(test.endJoin(as: again, at: 9).contains(.call(.read(after: 2))))
        #expect(test.node.member == again)
    }

    @Test mutating func `a node may read the entry of its join before the join is answered`() throws {
        test.endAwait(head: 3)
        let expired = SampleCluster.entry(of: Node.b, sequence: 2, .expired(Node.a))
        #expect(try test.endApplication(test.endRead([expired], from: 3)).isEmpty)
        // The node has joined again, but the answer to its join is late.
        test.endAwait(head: 5)
        let entries = [
            SampleCluster.entry(of: again, .joined), SampleCluster.entry(of: Node.b, sequence: 3, .changes([2])),
        ]
        try test.endApplication(test.endRead(entries, from: 4))
        let joined = JoinedNode(member: again, position: 4, log: SampleCluster.log)
        #expect(test.endJoin(as: again, at: 4).contains(.beginIncarnation(joined)))
        #expect(test.node.member == again)
    }

    @Test mutating func `a node that reads its expiry stops at once`() {
        test.endAwait(head: 3)
        let expired = SampleCluster.entry(of: Node.b, sequence: 2, .expired(Node.a))
        #expect(test.endRead([expired], from: 3).contains(.endIncarnation(Node.a)))
        #expect(test.node.mayActUntil == nil)
    }

    @Test func `a node that hears nothing is ready for a second at most`() throws {
        let until = try #require(test.node.mayActUntil)
        #expect(until <= test.now + 1_000)
        #expect(until > test.now + 900)
        #expect(test.node.readiness(at: until) == .ready)
        #expect(test.node.readiness(at: until + 1) == .behind)
        #expect(test.node.readiness(at: until + 4_000) == .withoutLease)
    }

    @Test mutating func `a node that is silent for its lease and the margin is expired`() {
        /// A second passes, and b has not renewed its lease.
        func secondPassed() -> [ClusterNode.Action] {
            test.pass(milliseconds: 999)
            return test.event { node, now in
                node.timerFired(at: now)
                node.renewEnded(.success(Node.view([Node.a: 2, Node.b: 2], head: 2)), at: now)
            }
        }
        for _ in 0..<5 { #expect(!secondPassed().contains { if case .call(.expire) = $0 { true } else { false } }) }
        let expired = SampleCluster.entry(of: Node.a, sequence: 3, .expired(Node.b))
        #expect(
            secondPassed().contains(.call(.expire(expired, silence: RequiredSilence(renewals: 1, milliseconds: 5_000))))
        )
    }
}
