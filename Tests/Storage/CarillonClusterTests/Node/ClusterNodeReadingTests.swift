import CarillonCore
import Testing

@testable import CarillonCluster

/// The entries that a node takes from the log, each once and in order.
struct ClusterNodeReadingTests {
    private typealias Node = NodeUnderTest

    private var test = Node()

    init() throws { try test.becomeReady() }

    @Test mutating func `an entry that the node has appended is not read again`() throws {
        _ = test.beginBatch()
        let entry = SampleCluster.entry(of: Node.a, sequence: 3, .changes([1]))
        let application = try #require(Node.application(in: test.endAppend(at: 3)))
        #expect(application.first == 3)
        #expect(application.entries == [entry])
        // A read that began before brings the entry once more.
        #expect(Node.application(in: test.endRead([entry], from: 3)) == nil)
    }

    @Test mutating func `entries that end a wait are not read again`() throws {
        let entries = [
            // The node has appended this entry since it began to wait.
            SampleCluster.entry(of: Node.a, sequence: 2, Node.initialState(.empty)),
            SampleCluster.entry(of: Node.b, sequence: 2, .changes([2])),
        ]
        let actions = test.endAwait(entries, from: 2)
        #expect(!actions.contains(.call(.read(after: 2))))
        #expect(actions.contains(.call(.awaitEntries(after: 3))))
        #expect(Node.application(in: actions)?.entries == [entries[1]])
    }

    @Test mutating func `entries that find no room are read later`() throws {
        func changes(count: Int) -> [LogEntry] {
            (0..<count).map { SampleCluster.entry(of: Node.b, sequence: UInt64($0) + 2, .changes([1])) }
        }
        let room = ClusterNode.Options(name: Node.a.node, replicaID: .zero).maximumQueuedEntries
        let last = LogPosition(UInt64(room) + 3)
        let next = LogPosition(last.number + 1)
        let first = test.endAwait(changes(count: 1), from: 3)
        // Fills the queue while the first entry is applied.
        #expect(test.endAwait(changes(count: room), from: 4).contains(.call(.awaitEntries(after: last))))
        #expect(!test.endAwait(changes(count: 1), from: next).contains(.call(.awaitEntries(after: next))))
        let second = try test.endApplication(first)
        #expect(try test.endApplication(second).contains(.call(.read(after: last))))
    }

    @Test mutating func `a log that has gone back ends the node`() {
        test.endAwait(head: 2)
        #expect(test.endAwait(head: 1).contains(.stop(.logIsOlder(2))))
    }

    @Test mutating func `an entry of an unknown format ends the node after those before`() throws {
        test.endAwait(head: 4)
        let known = SampleCluster.entry(of: Node.b, sequence: 2, .changes([2]))
        let unknown = SampleCluster.entry(of: Node.b, sequence: 3, .changes([2]), format: 2)
        let read = test.endRead([known, unknown], from: 3)
        #expect(Node.application(in: read)?.entries == [known])
        #expect(try test.endApplication(read).contains(.stop(.unknownFormat(2, at: 4))))
    }
}
