import CarillonCore
import Testing

@testable import CarillonCluster

/// The removals that an operator asks of node a, while b lives and c is over.
struct RemovalQueueTests {
    private let view = SampleCluster.view([
        SampleCluster.node(SampleCluster.a), SampleCluster.node(SampleCluster.b),
        SampleCluster.node(SampleCluster.c, isLive: false),
    ])
    private var queue = RemovalQueue()

    private mutating func add(_ name: NodeName, number: UInt64 = 1, in view: ClusterView?) -> ClusterNode.RemovalAnswer
    {
        queue.add(name, number: number, deadline: 5_000, by: SampleCluster.a.node, in: view)
    }

    @Test mutating func `only another node that lives is removed`() {
        let names = [SampleCluster.a, SampleCluster.b, SampleCluster.c].map(\.node)
        var answers: [ClusterNode.RemovalAnswer] = []
        for name in names { answers.append(add(name, in: view)) }
        #expect(answers == [.refused(.itself), .begun(SampleCluster.b), .refused(.unknown)])
        let removals = queue.takeAll()
        #expect(removals == [RemovalQueue.Removal(number: 1, member: SampleCluster.b, deadline: 5_000)])
    }

    @Test mutating func `nothing is removed before the first view`() {
        let answer = add(SampleCluster.b.node, in: nil)
        #expect(answer == .refused(.notNow))
    }

    @Test mutating func `a full queue refuses more`() {
        for number in 1...UInt64(RemovalQueue.maximumCount) {
            _ = add(SampleCluster.b.node, number: number, in: view)
        }
        let refused = add(SampleCluster.b.node, in: view)
        #expect(refused == .refused(.notNow))
        let first = queue.takeFirst()
        #expect(first?.number == 1)
        let next = add(SampleCluster.b.node, in: view)
        #expect(next == .begun(SampleCluster.b))
    }
}
