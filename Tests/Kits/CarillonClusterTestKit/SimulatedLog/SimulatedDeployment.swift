package import CarillonCluster

/// A simulated log database under test.
package struct SimulatedDeployment: LogDeployment {
    package let database: SimulatedLogDatabase

    package init(seed: UInt64) { database = SimulatedLogDatabase(seed: seed) }

    package func log() throws -> any SharedLog { database.log() }

    package func run(until condition: @escaping @Sendable () -> Bool) { database.run(until: condition) }

    package func loseNextAppend(of log: any SharedLog, _ end: SimulatedLogDatabase.AppendEnd) throws {
        guard let log = log as? SimulatedLog else { throw ScenarioFailure(description: "another log") }
        database.setPath(of: log) { $0.nextAppend = end }
    }

    package func deliverLateAppends() throws { database.advance(by: 60_000) }

    package func stopDatabase() throws { database.setDown(true) }
    package func startDatabase() throws { database.setDown(false) }
}
