import CarillonCore
import Testing

/// Ten minutes in which a provider refuses every push, for the engine, a pool and its connections together: few
/// pushes are tried, none is lost, and then the full rate returns.
struct DeliveryEngineOutageTests {
    @Test(
        arguments: [
            ProviderOutageSimulation.Fault.answers(503), .answers(500), .resets(.unknown), .resets(.notProcessed),
        ],
        [1] as [UInt64])
    func `a provider outage passes`(_ fault: ProviderOutageSimulation.Fault, seed: UInt64) throws {
        var simulation = ProviderOutageSimulation(fault, seed: seed)
        simulation.run(seconds: 20)
        let before = rate(simulation.seconds[10..<20].map(\.delivered))
        #expect(before > 700, "four connections of ten streams at 50 ms are 800 a second")

        simulation.run(seconds: 600, isProviderOut: true)
        let during = simulation.seconds[25..<620]
        #expect(during.allSatisfy { Double($0.attempts) * 10 <= before })
        #expect(rate(during.map(\.connectAttempts)) < 0.1, "APNs takes rapid connecting for an attack")

        simulation.run(seconds: 60)
        let after = simulation.seconds[620..<680].map(\.delivered)
        let recovered = try #require(after.firstIndex { Double($0) >= before * 0.95 })
        #expect(recovered < 30, "full rate in second \(recovered)")
        #expect(rate(after.dropFirst(recovered)) >= before * 0.95)

        simulation.finish(within: 3_600)
        #expect(simulation.outcomes == [.delivered: simulation.recipients])
    }

    private func rate(_ counts: some Collection<Int>) -> Double {
        Double(counts.reduce(0, +)) / Double(max(1, counts.count))
    }
}
