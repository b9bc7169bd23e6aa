import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The lease of this node: when it renews, and until when it may act. The simulations show that no member that is over
/// may act, whatever the network and the clocks do.
struct LeaseRuleTests {
    @Test func `a lease is counted from before its renewal was sent`() {
        var rule = LeaseRule(times: SampleCluster.times, joinSentAt: 100)
        #expect(rule.isInForce(at: 4_099))
        #expect(!rule.isInForce(at: 4_100))
        #expect(rule.nextRenewal == 1_100)
        rule.renewalBegins(at: 1_100)
        #expect(rule.nextRenewal == nil)
        // The answer comes late; the lease does not begin with it.
        rule.leaseRenewed()
        #expect(rule.isInForce(at: 5_099))
        #expect(!rule.isInForce(at: 5_100))
        #expect(rule.remainingMilliseconds(at: 5_000) == 100)
        #expect(rule.remainingMilliseconds(at: 6_000) == 0)
        #expect(rule.nextRenewal == 2_100)
    }

    @Test func `a node that cannot renew stops and may go on later`() {
        var rule = LeaseRule(times: SampleCluster.times, joinSentAt: 0)
        rule.renewalBegins(at: 1_000)
        rule.renewalFailed(.unavailable(.unknown, "away"), at: 1_900)
        #expect(rule.nextRenewal == 2_000)
        rule.renewalBegins(at: 2_000)
        rule.renewalFailed(.unavailable(.none, "away"), at: 2_010)
        #expect(rule.nextRenewal == 2_260)
        #expect(!rule.isInForce(at: 4_000))
        rule.renewalBegins(at: 9_000)
        rule.leaseRenewed()
        #expect(rule.isInForce(at: 9_001))
    }

    @Test func `a fenced node stops at once`() {
        var rule = LeaseRule(times: SampleCluster.times, joinSentAt: 0)
        rule.renewalBegins(at: 1_000)
        rule.renewalFailed(.fenced, at: 1_001)
        #expect(!rule.isInForce(at: 1_001))
        #expect(rule.nextRenewal == nil)
        #expect(rule.isOver)
    }

    // MARK: Simulations

    @Test(arguments: TestSeeds.of(1...100))
    func `no member that is over may act`(seed: UInt64) throws {
        let simulation = try LeaseSimulation(seed: seed)
        #expect(simulation.run() == [], "CARILLON_SEED=\(seed)")
    }

    @Test func `a simulation expires members that renew no lease`() throws {
        let simulations = try (1...20 as ClosedRange<UInt64>).map { try LeaseSimulation(seed: $0) }
        for simulation in simulations { _ = simulation.run() }
        #expect(simulations.map(\.expiries).reduce(0, +) > simulations.count)
    }

    @Test(arguments: LeaseSimulation.PlantedFault.allCases)
    func `the simulation finds a planted fault`(fault: LeaseSimulation.PlantedFault) throws {
        let found = try (1...400 as ClosedRange<UInt64>).contains { seed in
            try LeaseSimulation(seed: seed, fault: fault).run() != []
        }
        #expect(found)
    }
}
