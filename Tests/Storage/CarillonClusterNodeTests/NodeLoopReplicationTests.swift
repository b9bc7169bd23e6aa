import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonPostgreSQLTestKit
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Synchronization
import Testing

@testable import CarillonClusterNode
@testable import CarillonRegistry

/// The registries that are made from one shared log. They have the same rows in every table, whichever node appends,
/// crashes and comes back.
struct NodeLoopReplicationTests {
    /// The log database that has the shared log.
    enum LogDatabase: String, CaseIterable, CustomTestStringConvertible {
        case simulated, postgreSQL

        var testDescription: String { rawValue }

        /// Makes three nodes on a new log. A seed that is not given is printed.
        func cluster(
            _ seed: UInt64? = nil, retention: RetentionRule.Limits = .init(), test: String = #function
        ) throws -> TestCluster {
            switch self {
            case .simulated:
                TestCluster(SimulatedDeployment(seed: seed ?? TestSeeds.one(test: test)), retention: retention)
            case .postgreSQL: TestCluster(try PostgreSQLDeployment(.shared()), retention: retention)
            }
        }
    }

    // MARK: Random histories

    @Test(arguments: LogDatabase.allCases, TestSeeds.of(1...1))
    func `replicas are equal whichever appends and crashes`(database: LogDatabase, seed: UInt64) throws {
        let cluster = try database.cluster(seed)
        defer { cluster.end() }
        var random = SeededGenerator(seed: seed)
        for replica in cluster.replicas { try replica.start(keepsOpen: true) }
        try cluster.waitUntilReady()
        var history = RandomChanges(seed: seed)
        for step in 1...20 {
            let replica = cluster.replicas.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...3, using: &random) { try history.submit(to: replica) }
            guard step.isMultiple(of: 10) else { continue }
            let victim = cluster.replicas.randomElement(using: &random)!
            if Bool.random(using: &random) { try victim.crash() } else { victim.close() }
            // The other replicas go on without the victim.
            let other = cluster.replicas.first { $0 !== victim }!
            for _ in 0..<5 { try history.submit(to: other) }
            try victim.start(keepsOpen: true)
            try cluster.waitUntilReady()
        }
        try cluster.requireEqualReplicas("seed \(seed)")
        try history.requireAnswered(in: cluster.replicas)
    }

    @Test(arguments: TestSeeds.of(1...2))
    func `a log database that loses calls and goes away loses no answered change`(seed: UInt64) throws {
        let deployment = SimulatedDeployment(seed: seed)
        let cluster = TestCluster(deployment)
        defer { cluster.end() }
        for replica in cluster.replicas { try replica.start() }
        try cluster.waitUntilReady()
        var network = SimulatedLogDatabase.Network()
        network.loss = 0.01
        network.breaks = 0.02
        deployment.database.setNetwork(network)
        var history = RandomChanges(seed: seed)
        var random = SeededGenerator(seed: seed)
        for step in 1...30 {
            deployment.database.setDown(step % 15 == 7)
            try history.submit(to: cluster.replicas.randomElement(using: &random)!)
            deployment.database.setDown(false)
        }
        deployment.database.setNetwork(.init())
        try cluster.waitUntilReady()
        #expect(history.refused + history.unknown > 0, "seed \(seed)")
        try cluster.requireEqualReplicas("seed \(seed)")
        try history.requireAnswered(in: cluster.replicas)
    }

    // MARK: The log database away

    @Test func `changes are refused without an effect while the log database is away`() throws {
        let deployment = try PostgreSQLDeployment(TestPostgreSQL())
        let cluster = TestCluster(deployment, count: 2)
        defer { cluster.end() }
        for replica in cluster.replicas { try replica.start() }
        try cluster.waitUntilReady()
        _ = try cluster.replicas[0].apply(.register(1))
        try deployment.stopDatabase()
        #expect(throws: RegistryError.self) { _ = try cluster.replicas[0].apply(.register(2)) }
        try cluster.wait(until: "no node acts") { !cluster.replicas.contains(where: \.isReady) }
        try deployment.startDatabase()
        try cluster.waitUntilReady()
        _ = try cluster.replicas[1].apply(.register(3))
        try cluster.requireEqualReplicas()
    }

    // MARK: What all nodes must know

    @Test(arguments: LogDatabase.allCases)
    func `an unregistration is answered once every node has applied it`(database: LogDatabase) throws {
        let cluster = try database.cluster()
        defer { cluster.end() }
        for replica in cluster.replicas { try replica.start() }
        try cluster.waitUntilReady()
        for token in 1...10 as ClosedRange<UInt8> {
            _ = try cluster.replicas[0].apply(.register(token))
            _ = try cluster.replicas[1].apply(.unregister(token, now: 2_000))
            let position = cluster.replicas[1].position
            for replica in cluster.replicas where replica.isReady {
                let knows = replica.applied.withLock { $0.last?.position ?? 0 } >= position
                #expect(knows, "\(replica.name) does not know position \(position)")
            }
        }
    }

    // MARK: Snapshots and the initial state

    @Test(arguments: LogDatabase.allCases, TestSeeds.of(7...7))
    func `a node begins with a snapshot and the tail when the log is trimmed`(database: LogDatabase, seed: UInt64)
        throws
    {
        var retention = RetentionRule.Limits()
        retention.minimumEntries = 40
        retention.entriesBehind = 60
        let cluster = try database.cluster(seed, retention: retention)
        defer { cluster.end() }
        let a = cluster.replicas[0]
        let b = cluster.replicas[1]
        let c = cluster.replicas[2]
        for replica in [a, b] { try replica.start() }
        try cluster.waitUntilReady([a, b])
        var history = RandomChanges(seed: seed)
        try cluster.wait(until: "the log is trimmed") {
            try history.submit(to: a)
            return a.node?.status.view.map { $0.ends.trimmed > 10 } ?? false
        }
        try c.start()
        try cluster.wait(until: "c begins with a snapshot") { !c.notices.isEmpty }
        try cluster.waitUntilReady()
        for _ in 1...10 { try history.submit(to: c) }
        try cluster.requireEqualReplicas()
        try history.requireAnswered(in: cluster.replicas)
    }

    /// Starts the first node of a cluster with the data of a single server, which has the device 1, and then the second
    /// node. Returns the epoch of the single server.
    private func startNodesWithDataOfASingleServer(_ cluster: TestCluster) throws -> UUIDBytes {
        let a = cluster.replicas[0]
        let b = cluster.replicas[1]
        let single = try LMDBRegistry(path: a.path, options: cluster.options)
        let epoch = single.epoch
        single.submit(.register(1), deadline: nil) { _ in }
        single.close()
        try a.start()
        try cluster.wait(until: "a is ready") { a.isReady }
        try b.start()
        try cluster.wait(until: "b begins with the data of a") {
            try b.startAgainIfAsked()
            return b.isReady
        }
        return epoch
    }

    /// Registers the device 2 at the second node, and waits until the first node has it.
    private func registerDevice2(in cluster: TestCluster) throws {
        let a = cluster.replicas[0]
        let b = cluster.replicas[1]
        _ = try b.apply(.register(2))
        try cluster.wait(until: "a knows it") { try a.registry?.device(.address(address(2)), of: game) != nil }
    }

    @Test(arguments: LogDatabase.allCases)
    func `a single server becomes the first node and later nodes begin with its data`(database: LogDatabase) throws {
        let cluster = try database.cluster()
        defer { cluster.end() }
        let epoch = try startNodesWithDataOfASingleServer(cluster)
        let b = cluster.replicas[1]
        #expect(b.registry?.epoch == epoch)
        #expect(try b.registry?.device(.address(address(1)), of: game) != nil)
        try registerDevice2(in: cluster)
    }

    @Test(arguments: LogDatabase.allCases)
    func `the data of a node are not served alone while another node lives`(database: LogDatabase) throws {
        let cluster = try database.cluster()
        defer { cluster.end() }
        _ = try startNodesWithDataOfASingleServer(cluster)
        let a = cluster.replicas[0]
        a.close()
        #expect(throws: RegistryError.self) { _ = try LMDBRegistry(path: a.path, options: cluster.options) }
        try a.start()
        try cluster.wait(until: "a is ready") { a.isReady }
    }

    @Test(arguments: LogDatabase.allCases)
    func `the last node that leaves becomes a single server`(database: LogDatabase) throws {
        let cluster = try database.cluster()
        defer { cluster.end() }
        let epoch = try startNodesWithDataOfASingleServer(cluster)
        try registerDevice2(in: cluster)
        let a = cluster.replicas[0]
        let b = cluster.replicas[1]
        try a.leave()
        try b.leave()
        let alone = try LMDBRegistry(path: b.path, options: cluster.options)
        #expect(alone.epoch == epoch)
        let devices = try [1, 2].map { try alone.device(.address(address($0)), of: game) }
        #expect(!devices.contains(nil), "the data of the first server, and those of the log")
        alone.close()
        // The server b has gone on alone, so its data are no longer in any log.
        try b.start()
        try cluster.wait(until: "b stops") { b.stopReason == .foreignData }
    }

    @Test func `a snapshot with other bytes is not used`() throws {
        let deployment = SimulatedDeployment(seed: TestSeeds.one())
        let cluster = TestCluster(deployment, count: 2)
        defer { cluster.end() }
        let a = cluster.replicas[0]
        let b = cluster.replicas[1]
        try LMDBRegistry(path: a.path, options: cluster.options).close()
        try a.start()
        try cluster.wait(until: "the snapshot of a is complete") { deployment.database.hasSnapshot }
        deployment.database.changeState { $0.damageSnapshots() }
        try b.start()
        try cluster.wait(until: "b refuses it") { b.notices.contains { $0.contains("other bytes") } }
        #expect(!b.isReady)
    }
}
