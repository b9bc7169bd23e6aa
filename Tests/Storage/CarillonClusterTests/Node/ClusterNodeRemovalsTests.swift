import CarillonCore
import Testing

@testable import CarillonCluster

/// An operator removes a node.
struct ClusterNodeRemovalsTests {
    private typealias Node = NodeUnderTest

    /// A removal and the node's answer to the operator.
    private struct Removal {
        var answer: ClusterNode.RemovalAnswer
        var actions: [ClusterNode.Action]
    }

    /// The caller's number of the removals.
    private static let number: UInt64 = 5

    private var test = Node()

    private mutating func remove(_ name: String) throws -> Removal {
        let name = try #require(NodeName(name))
        var answer = ClusterNode.RemovalAnswer.refused(.notNow)
        let actions = test.event { answer = $0.remove(name, number: Self.number, deadline: $1 + 1_000, at: $1) }
        return Removal(answer: answer, actions: actions)
    }

    @Test mutating func `an operator removes a node that is not silent`() throws {
        try test.becomeReadyBesideB()
        let removal = try remove("b")
        #expect(removal.answer == .begun(Node.b))
        let expired = SampleCluster.entry(of: Node.a, sequence: 3, .expired(Node.b))
        #expect(removal.actions.contains(.call(.expire(expired, silence: nil))))
        #expect(test.endAppend(at: 3).contains(.endRemoval(Self.number, .removed)))
    }

    @Test mutating func `a removal waits for the append that is under way`() throws {
        try test.becomeReadyBesideB()
        _ = test.beginBatch()
        let removal = try remove("b")
        #expect(removal.answer == .begun(Node.b))
        #expect(!removal.actions.contains { if case .call(.expire) = $0 { true } else { false } })
        let expired = SampleCluster.entry(of: Node.a, sequence: 4, .expired(Node.b))
        #expect(test.endAppend(at: 3).contains(.call(.expire(expired, silence: nil))))
        let refused = test.failAppend(with: .leaseRenewed)
        #expect(refused.contains(.endRemoval(Self.number, .refused(.leaseRenewed))))
    }

    @Test mutating func `a node removes neither itself nor an unknown node`() throws {
        #expect(try remove("b").answer == .refused(.notNow), "it is no member yet")
        try test.becomeReadyBesideB()
        #expect(try remove("a").answer == .refused(.itself))
        #expect(try remove("c").answer == .refused(.unknown))
    }
}
