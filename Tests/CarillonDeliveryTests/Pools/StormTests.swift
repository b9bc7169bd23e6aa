import CarillonCore
import Testing

/// Ten minutes in which APNs refuses every push: few are tried, none is lost, and then the full rate returns.
struct StormTests {
    @Test(
        arguments: [StormSimulation.Fault.answers(503), .answers(500), .resets(.unknown), .resets(.notProcessed)],
        1...3 as ClosedRange<UInt64>)
    func aStormPasses(_ fault: StormSimulation.Fault, seed: UInt64) throws {
        var storm = StormSimulation(fault, seed: seed)
        storm.run(seconds: 20)
        let before = rate(storm.seconds[10..<20].map(\.delivered))
        #expect(before > 700, "four connections of ten streams at 50 ms are 800 a second")

        storm.run(seconds: 600, isStorm: true)
        let during = storm.seconds[25..<620]
        #expect(during.allSatisfy { Double($0.attempts) * 10 <= before })
        #expect(rate(during.map(\.dials)) < 0.1, "APNs takes rapid connecting for an attack")

        storm.run(seconds: 60)
        let after = storm.seconds[620..<680].map(\.delivered)
        let recovered = try #require(after.firstIndex { Double($0) >= before * 0.95 })
        #expect(recovered < 30, "full rate in second \(recovered)")
        #expect(rate(after.dropFirst(recovered)) >= before * 0.95)

        storm.settle(within: 3_600)
        #expect(storm.outcomes == [.delivered: storm.recipients])
    }

    private func rate(_ counts: some Collection<Int>) -> Double {
        Double(counts.reduce(0, +)) / Double(max(1, counts.count))
    }
}
