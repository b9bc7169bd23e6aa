import CarillonCore
import Testing

@testable import CarillonCluster

/// The end of a node that was asked to leave.
struct ClusterNodeLeavingTests {
    private typealias Node = NodeUnderTest

    private var test = Node()

    init() throws { try test.becomeReady() }

    @Test mutating func `a node leaves when its callers are answered`() throws {
        _ = test.beginBatch()
        #expect(test.leave(withinMilliseconds: 1_000) == [])
        #expect(test.node.readiness(at: test.now) == .leaving)
        #expect(!test.node.mayBeginBatch)
        let answered = try test.endApplication(test.endAppend(at: 3))
        #expect(answered.contains(.call(.append(SampleCluster.entry(of: Node.a, sequence: 4, .left)))))
        // It applies its own leaving: if it is the last, its directory has everything.
        #expect(try test.endApplication(test.endAppend(at: 4)).contains(.stop(.left)))
    }

    @Test mutating func `a node that has applied its leaving before it hears of the append stops`() throws {
        let left = SampleCluster.entry(of: Node.a, sequence: 3, .left)
        #expect(test.leave(withinMilliseconds: 5_000).contains(.call(.append(left))))
        try test.endApplication(test.endAwait([left], from: 3))
        #expect(test.endAppend(at: 3).contains(.stop(.left)))
    }

    @Test mutating func `a node that cannot leave stops at the deadline`() {
        test.leave(withinMilliseconds: 1_000)
        test.pass(milliseconds: 1_000)
        #expect(test.fireTimer().contains(.stop(.left)))
    }
}
