import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonTestKit
import Synchronization
import Testing

/// The promises of a shared log, which the simulated log database keeps, so that simulations with it mean something.
struct SharedLogTests {
    @Test(arguments: LogScenario.all)
    func `the simulated log database keeps each promise`(scenario: LogScenario) async throws {
        try await scenario.run(SimulatedDeployment(seed: TestSeeds.one()))
    }

    @Test func `a join that arrives after a later one is not carried out`() throws {
        let database = SimulatedLogDatabase(seed: 1)
        let log = database.log()
        let name = try #require(NodeName("a"))
        let node = JoiningNode(name: name, replicaID: .random(), address: "", format: 1, leaseMilliseconds: 4_000)
        let results = Mutex<[String: Result<JoinedNode, LogError>]>([:])
        for (word, delay) in [("slow", 50), ("fast", 1)] as [(String, UInt64)] {
            var network = SimulatedLogDatabase.Network()
            network.delay = delay...delay
            database.setNetwork(network)
            log.join(node, withinMilliseconds: 1_000) { result in results.withLock { $0[word] = result } }
        }
        database.advance(by: 200)
        let found = results.withLock { $0 }
        #expect(try found["fast"]?.get().member.incarnation == 1)
        #expect(throws: LogError.self) { try found["slow"]?.get() }
        #expect(database.entries(after: 0).count == 1)
    }
}
