import Foundation
import Testing

/// Whatever happens, each recipient of each message ends in exactly one outcome, and the guarantees hold on the way.
///
/// A failure names its seed; `CARILLON_SEED=17 swift test --filter DeliveryEngineSimulationTests` runs that one alone,
/// `CARILLON_SEEDS=100000` runs that many.
struct DeliveryEngineSimulationTests {
    /// Seeds beyond the first 500 that have found something: in the engine, or in what was asked of it.
    private static let remembered: [UInt64] = [2_265, 9_411, 9_883, 12_319, 23_141, 23_822, 25_919]

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func `every recipient ends exactly once`() async {
        let first = 1...max(1, Self.number("CARILLON_SEEDS") ?? 500)
        let seeds =
            Self.number("CARILLON_SEED").map { [$0] } ?? Array(first) + Self.remembered.filter { !first.contains($0) }
        let shares = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        let violations = await withTaskGroup(of: [String].self) { group in
            for share in 0..<shares {
                group.addTask { Self.run(seeds.filter { $0 % shares == share }) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for violation in violations.prefix(10) { Issue.record("\(violation)") }
        print("simulation: \(seeds.count) seeds, \(violations.count) violations")
    }

    private static func run(_ seeds: [UInt64]) -> [String] {
        seeds.compactMap { seed in
            var simulation = EngineSimulation(seed: seed)
            do {
                try simulation.run(steps: 90)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}
