import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The leases of nodes in random simulations: no member that is over may act, whatever the network and the clocks do.
struct LeaseRuleSimulationTests {
    @Test(arguments: TestSeeds.of(1...100))
    func noMemberThatIsOverMayAct(seed: UInt64) throws {
        let simulation = try LeaseSimulation(seed: seed)
        #expect(simulation.run() == [], "CARILLON_SEED=\(seed)")
    }

    @Test func aSimulationExpiresMembersThatRenewNoLease() throws {
        let simulations = try (1...20 as ClosedRange<UInt64>).map { try LeaseSimulation(seed: $0) }
        for simulation in simulations { _ = simulation.run() }
        #expect(simulations.map(\.expiries).reduce(0, +) > simulations.count)
    }

    @Test(arguments: LeaseSimulation.PlantedFault.allCases)
    func theSimulationFindsAPlantedFault(fault: LeaseSimulation.PlantedFault) throws {
        let found = try (1...400 as ClosedRange<UInt64>).contains { seed in
            try LeaseSimulation(seed: seed, fault: fault).run() != []
        }
        #expect(found)
    }
}
