import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Synchronization
import Testing

@testable import CarillonClusterNode
@testable import CarillonRegistry

/// The node that sends a message: the node that has accepted it, and another once that one is gone.
struct NodeLoopSenderTests {
    /// A cluster of three nodes; `a` and `b` run. A message for three devices was accepted by `a`, and `b`
    /// knows it.
    private struct ThreeNodes {
        let cluster: TestCluster
        let (a, b, c): (TestReplica, TestReplica, TestReplica)
        let message: MessageID
        let outbound: OutboundMessage

        init(_ database: NodeLoopReplicationTests.LogDatabase, test: String) throws {
            cluster = try database.cluster(test: test)
            a = cluster.replicas[0]
            b = cluster.replicas[1]
            c = cluster.replicas[2]
            let a = a
            let b = b
            for replica in [a, b] { try replica.start() }
            try cluster.waitUntilReady([a, b])
            for token in 1...3 as ClosedRange<UInt8> { _ = try a.apply(.register(token)) }
            let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
            let devices = (1...3 as ClosedRange<UInt8>).map { DeviceReference.address(address($0)) }
            let accept = Change.accept(Message(content: content, audience: .devices(devices)), now: timestamp(5_000))
            guard case .accepted(let acceptance, let outbound?) = try a.apply(accept) else {
                throw ScenarioFailure(description: "the message is not accepted")
            }
            message = acceptance.id
            self.outbound = outbound
            try cluster.wait(until: "b knows it") { b.position == a.position }
        }

        /// Returns the messages that each of these nodes has to send.
        func sending(_ nodes: TestReplica...) throws -> [[MessageID]] { try nodes.map { try $0.messagesToSend() } }

        /// Ends `a`, and lets `b` take over.
        func takeOver() throws {
            a.close()
            try cluster.wait(until: "the message is free") {
                try b.registry?.claimableMessages(limit: 10) == [.whole(message)]
            }
            #expect(try b.apply(.claim(message)) == .claimed(outbound))
        }
    }

    @Test(arguments: NodeLoopReplicationTests.LogDatabase.allCases)
    func `the node that accepted a message is its only sender`(database: NodeLoopReplicationTests.LogDatabase) throws {
        let nodes = try ThreeNodes(database, test: #function)
        defer { nodes.cluster.end() }
        #expect(try nodes.sending(nodes.a, nodes.b) == [[nodes.message], []])
        #expect(try [nodes.a, nodes.b].map { try $0.registry?.claimableMessages(limit: 10) } == [[], []])
        #expect(try nodes.b.apply(.claim(nodes.message)) == .claimed(nil))
        let areOwn = [nodes.a, nodes.b].map { node in
            node.applied.withLock { $0.contains { $0.changes.contains { $0.isOwn(nodes.message) } } }
        }
        #expect(areOwn == [true, false])
    }

    @Test(arguments: NodeLoopReplicationTests.LogDatabase.allCases)
    func `a pause that another node resumes changes no sender`(database: NodeLoopReplicationTests.LogDatabase) throws {
        let nodes = try ThreeNodes(database, test: #function)
        defer { nodes.cluster.end() }
        let update = { UpdateMessageRequest(app: game, id: nodes.message, messageUpdate: $0) }
        _ = try nodes.b.apply(.updateMessage(update(.pause), now: timestamp(5_001)))
        _ = try nodes.b.apply(.updateMessage(update(.resume), now: timestamp(5_002)))
        try nodes.cluster.wait(until: "a knows it") { nodes.a.position == nodes.b.position }
        #expect(try nodes.sending(nodes.a, nodes.b) == [[nodes.message], []])
    }

    /// A backup belongs to no cluster.
    @Test(arguments: NodeLoopReplicationTests.LogDatabase.allCases)
    func `no message of a backup is claimed`(database: NodeLoopReplicationTests.LogDatabase) throws {
        let nodes = try ThreeNodes(database, test: #function)
        defer { nodes.cluster.end() }
        let copy = TemporaryDirectory()
        try nodes.a.registry?.copy(to: copy.path, compacting: true)
        let alone = try LMDBRegistry(path: copy.path, options: nodes.cluster.options)
        defer { withExtendedLifetime(copy) { alone.close() } }
        let claimed = try alone.readAfterCheckpoint { transaction, tables in
            try tables.claims.map { try transaction.count(in: $0.database) }
        }
        #expect(claimed == 0)
    }

    @Test(arguments: NodeLoopReplicationTests.LogDatabase.allCases)
    func `another node claims the message of a node that is gone`(database: NodeLoopReplicationTests.LogDatabase) throws
    {
        let nodes = try ThreeNodes(database, test: #function)
        defer { nodes.cluster.end() }
        try nodes.takeOver()
        try nodes.c.start()
        try nodes.cluster.waitUntilReady([nodes.b, nodes.c])
        #expect(try nodes.sending(nodes.b, nodes.c) == [[nodes.message], []])
    }

    @Test(arguments: NodeLoopReplicationTests.LogDatabase.allCases)
    func `a finished message leaves no claims`(database: NodeLoopReplicationTests.LogDatabase) throws {
        let nodes = try ThreeNodes(database, test: #function)
        defer { nodes.cluster.end() }
        try nodes.takeOver()
        #expect(try nodes.b.rows().keys.contains { $0.hasPrefix("claims ") })
        let ended = (0..<3).map { OutcomeRecord.EndedRecipient(position: UInt16($0), outcome: .delivered) }
        let record = OutcomeRecord(message: nodes.message, page: 0, endedRecipients: ended)
        #expect(
            try nodes.b.apply(.recordOutcomes(record, now: timestamp(6_000))) == .outcomesRecorded(isFinished: true))
        #expect(try nodes.b.rows().keys.contains { $0.hasPrefix("claims ") } == false)
    }
}
