import CarillonCore
import Testing

@testable import CarillonCluster

/// The batches of changes that a node appends, and what their callers are told.
struct ClusterNodeAppendingTests {
    private typealias Node = NodeUnderTest

    private var test = Node()

    init() throws { try test.becomeReady() }

    @Test mutating func `a batch is answered when its entry is applied`() throws {
        let batch = test.beginBatch()
        let id = try #require(batch.id)
        let entry = SampleCluster.entry(of: Node.a, sequence: 3, .changes([1]))
        #expect(batch.actions == [.call(.append(entry))])
        #expect(!test.node.mayBeginBatch)

        // Another node was first: what it appended is applied before.
        let appended = test.endAppend(at: 4)
        #expect(appended.contains(.call(.read(after: 2))))
        #expect(Node.application(in: appended) == nil)
        let other = SampleCluster.entry(of: Node.b, sequence: 2, .changes([2]))
        let read = test.endRead([other, entry], from: 3)
        #expect(Node.application(in: read)?.entries == [other, entry])
        #expect(Node.application(in: read)?.batches == [1: id])
        #expect(try test.endApplication(read).contains(.finish(id, .applied(4))))
    }

    @Test mutating func `a batch that a snapshot skips has an unknown end`() throws {
        let id = try #require(test.beginBatch().id)
        #expect(test.endAppend(at: 40).contains(.call(.read(after: 2))))
        _ = test.event { $0.readEnded(.failure(.trimmed(through: 50)), at: $1) }
        let loaded = test.event { $0.snapshotLoadEnded(.success(Node.replicaState(at: 50)), at: $1) }
        #expect(loaded.contains(.finish(id, .unknown)))
    }

    @Test mutating func `an urgent batch is answered when the other nodes have applied its entry`() throws {
        _ = test.beginBatch()
        #expect(try !test.endApplication(test.endAppend(at: 3), urgent: [3]).contains(.answerChanges(through: 3)))

        // The node asks for the progress of the others long before its lease needs a renewal.
        test.pass(milliseconds: 20)
        let asks = test.fireTimer()
        #expect(asks.contains { if case .call(.renew(let progress)) = $0 { progress.applied == 3 } else { false } })
        let bIsBehind = test.endRenewal(with: Node.view([Node.a: 3, Node.b: 2], head: 3))
        #expect(!bIsBehind.contains(.answerChanges(through: 3)))

        test.pass(milliseconds: 20)
        test.fireTimer()
        let allKnow = test.endRenewal(with: Node.view([Node.a: 3, Node.b: 3], head: 3))
        #expect(allKnow.contains(.answerChanges(through: 3)))
    }

    @Test mutating func `a form that not all nodes can read is not appended`() {
        #expect(test.node.format == 1)
        #expect(test.beginBatch(needing: 2).id == nil)
        #expect(test.beginBatch(needing: 1).id != nil)
    }
}
