import CarillonCore
import Testing

@testable import CarillonCluster

/// The first steps of a node: whether it begins the log, goes on with it, waits for a snapshot, or stops.
struct ClusterNodeTests {
    private typealias Node = NodeUnderTest

    private var test = Node()

    private static var stateWithData: ReplicaState {
        var state = ReplicaState()
        state.hasForeignData = true
        return state
    }

    @Test mutating func `the first node begins the log`() throws {
        var readiness = [test.node.readiness(at: test.now)]
        #expect(test.node.mayActUntil == nil)
        #expect(!test.node.mayBeginBatch)
        let joining = test.fireTimer()
        #expect(joining.map { Node.joiningName(in: $0) } == [Node.a.node])

        let joined = test.endJoin()
        #expect(joined.first == .beginIncarnation(JoinedNode(member: Node.a, position: 1, log: SampleCluster.log)))
        #expect(joined.contains(.call(.read(after: 0))))
        readiness.append(test.node.readiness(at: test.now))

        test.endRenewal(with: Node.view([Node.a: 0], head: 1))
        let read = test.endRead([SampleCluster.entry(of: Node.a, .joined)], from: 1)
        #expect(read.contains(.call(.awaitEntries(after: 1))))
        let initialState = Node.initialState(.empty)
        let entry = SampleCluster.entry(of: Node.a, sequence: 2, initialState)
        #expect(try test.endApplication(read) == [.call(.append(entry))])
        let appended = test.endAppend(at: 2)
        #expect(Node.application(in: appended)?.entries.map(\.content) == [initialState])
        try test.endApplication(appended)
        readiness.append(test.node.readiness(at: test.now))
        #expect(readiness == [.joining(nil), .catchingUp(1), .ready])
    }

    @Test mutating func `a node without data waits for a snapshot of imported data`() throws {
        test.fireTimer()
        test.endJoin(at: 3)
        let imported = Node.initialState(.imported, parameters: [8])
        let read = test.endRead(
            [SampleCluster.entry(of: Node.b, .joined), SampleCluster.entry(of: Node.b, sequence: 2, imported)], from: 1)
        #expect(Node.application(in: read) == nil)
        #expect(test.node.readiness(at: test.now) == .loading)

        let snapshot = SampleCluster.snapshot(at: 2)
        let renewed = test.endRenewal(with: Node.view([Node.a: 0, Node.b: 3], head: 3, snapshots: [snapshot]))
        #expect(renewed.contains(.loadSnapshot(snapshot)))
        let loaded = Node.replicaState(at: 2, .imported)
        #expect(test.event { $0.snapshotLoadEnded(.success(loaded), at: $1) }.contains(.call(.read(after: 2))))
        #expect(test.node.replicaState.log == SampleCluster.log)
    }

    @Test mutating func `a server with data begins the log with them`() throws {
        test = Node(Self.stateWithData)
        test.fireTimer()
        test.endJoin()
        test.endRenewal(with: Node.view([Node.a: 0], head: 1))
        let appends = try test.endApplication(test.endRead([SampleCluster.entry(of: Node.a, .joined)], from: 1))
        let entry = SampleCluster.entry(of: Node.a, sequence: 2, Node.initialState(.imported))
        #expect(appends.contains(.call(.append(entry))))
        try test.endApplication(test.endAppend(at: 2))
        // Other nodes can begin only with a snapshot of this node.
        test.pass(milliseconds: 1_000)
        test.fireTimer()
        #expect(test.endRenewal(with: Node.view([Node.a: 2], head: 2)).contains(.makeSnapshot))
    }

    @Test mutating func `a node with data that are not of the log stops`() {
        test = Node(Self.stateWithData)
        test.fireTimer()
        test.endJoin(at: 3)
        let empty = Node.initialState(.empty, parameters: [8])
        let read = test.endRead(
            [SampleCluster.entry(of: Node.b, .joined), SampleCluster.entry(of: Node.b, sequence: 2, empty)], from: 1)
        #expect(read.contains(.stop(.foreignData)))
        #expect(test.node.deadline == nil)
    }

    @Test mutating func `a directory of another log ends the node`() {
        var state = ReplicaState()
        state.log = UUIDBytes(high: 2, low: 2)
        test = Node(state)
        test.fireTimer()
        #expect(test.endJoin() == [.stop(.otherLog)])
    }

    @Test mutating func `a log that has lost entries ends the node`() {
        var state = Node.replicaState(at: 50)
        state.log = SampleCluster.log
        test = Node(state)
        test.fireTimer()
        #expect(test.endJoin(at: 40) == [.stop(.logIsOlder(50))])
    }
}
