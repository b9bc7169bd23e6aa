import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import Testing

@testable import CarillonRegistry

/// A cluster of some replicas on one shared log.
struct TestCluster {
    let replicas: [TestReplica]
    private let time: TestTime

    init(_ deployment: any LogDeployment, count: Int = 3, retention: RetentionRule.Limits = .init()) {
        let time = TestTime(deployment)
        self.time = time
        replicas = ["a", "b", "c"].prefix(count).map {
            TestReplica($0, on: deployment, time: time, retention: retention)
        }
    }

    /// The options of a server without a cluster.
    var options: LMDBRegistry.Options {
        var options = LMDBRegistry.Options()
        options.mapBytes = 32 << 20
        return options
    }

    func end() {
        for replica in replicas { replica.close() }
    }

    /// Lets time pass until a condition is true.
    func wait(until what: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
        try time.wait(until: what(), condition)
    }

    /// Waits until all nodes, or some, may act. Starts those again that must be started again.
    func waitUntilReady(_ some: [TestReplica]? = nil) throws {
        let replicas = some ?? replicas
        func states() -> String {
            replicas.map { "\($0.name): \($0.readiness) \($0.notices)" }.joined(separator: "; ")
        }
        try wait(until: "all nodes are ready: \(states())") {
            for replica in replicas {
                if let reason = replica.stopReason { throw ScenarioFailure(description: "\(replica.name): \(reason)") }
                try replica.startAgainIfAsked()
            }
            return replicas.allSatisfy(\.isReady)
        }
    }

    /// Requires that all replicas have the same rows at the end of the log.
    func requireEqualReplicas(_ what: String = "") throws {
        let running = replicas.filter(\.isReady)
        #expect(running.count > 1)
        try wait(until: "all replicas are at the same position") { Set(running.map(\.position)).count == 1 }
        let rows = try running.map { try $0.rows() }
        for (replica, found) in zip(running, rows).dropFirst() where found != rows[0] {
            let row = Set(found.keys).union(rows[0].keys).sorted().first { found[$0] != rows[0][$0] } ?? ""
            Issue.record("\(what) \(replica.name): \(row): \(found[row] ?? []) and \(rows[0][row] ?? [])")
        }
        #expect(rows[0].count > 3)
    }
}
