import CarillonClusterTestKit
import CarillonTestKit
import Testing

/// The simulated engine keeps the promises of a shared log, so that simulations with it mean something.
struct LogContractTests {
    @Test(arguments: LogScenario.all)
    func theSimulatedEngineKeepsEachPromise(scenario: LogScenario) async throws {
        try await scenario.run(SimulatedDeployment(seed: TestSeeds.one()))
    }
}
