package import CarillonCluster

/// The simulated engine under test.
package struct SimulatedDeployment: LogDeployment {
    package let engine: SimulatedEngine

    package init(seed: UInt64) { engine = SimulatedEngine(seed: seed) }

    package func log() throws -> any SharedLog { engine.log() }

    package func run(until condition: @escaping @Sendable () -> Bool) { engine.run(until: condition) }

    package func loseNextAppend(of log: any SharedLog, _ end: SimulatedEngine.AppendEnd) throws {
        guard let log = log as? SimulatedLog else { throw ScenarioFailure(description: "another log") }
        engine.setPath(of: log) { $0.nextAppend = end }
    }

    package func deliverLateAppends() throws { engine.advance(by: 60_000) }

    package func stopEngine() throws { engine.setDown(true) }
    package func startEngine() throws { engine.setDown(false) }
}
