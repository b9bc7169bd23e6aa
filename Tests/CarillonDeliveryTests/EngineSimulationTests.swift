import Foundation
import Testing

/// Whatever happens, each recipient of each message ends in exactly one outcome, and the promises hold on the way.
///
/// A failure names its seed; `CARILLON_SEED=17 swift test --filter EngineSimulationTests` runs that one alone.
@Suite struct EngineSimulationTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...500)

    @Test(arguments: seeds)
    func everyRecipientEndsExactlyOnce(_ seed: UInt64) throws {
        var simulation = EngineSimulation(seed: seed)
        try simulation.run(steps: 120)
    }
}
