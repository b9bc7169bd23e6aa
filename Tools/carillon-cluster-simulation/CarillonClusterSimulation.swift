import ArgumentParser
import CarillonClusterTestKit
import Foundation

/// The program of `Tools/prove cluster-simulation`, which runs simulations of a cluster, one for each seed.
@main
struct CarillonClusterSimulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-cluster-simulation",
        abstract: "Simulates clusters of three nodes with faults, and judges what they do.")

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of seeds.")
    var seeds: UInt64 = 1

    @Option(help: "A fault to plant.")
    var fault: ClusterSimulation.PlantedFault?

    @ArgumentParser.Flag(help: "Stop at the first seed with a violation. The exit status is 0 then.")
    var stops = false

    /// The most seeds, and the most violations of each, that are printed.
    private static let (maximumPrintedSeeds, maximumPrintedViolations) = (10, 3)

    mutating func run() throws {
        var (ran, failedSeeds, entries, pushes, duplicates, answered) = (0, 0, 0 as UInt64, 0, 0, 0)
        var recovery: UInt64 = 0
        var events: [ClusterSimulation.Event: Int] = [:]
        for seed in seed..<seed + seeds {
            let report = ClusterSimulation(seed: seed, fault: fault).run()
            ran += 1
            events.merge(report.events, uniquingKeysWith: +)
            entries += report.entries
            pushes += report.pushes
            duplicates += report.duplicates
            answered += report.answered
            recovery = max(recovery, report.recovery)
            guard !report.violations.isEmpty else { continue }
            failedSeeds += 1
            if failedSeeds <= Self.maximumPrintedSeeds {
                for violation in report.violations.prefix(Self.maximumPrintedViolations) {
                    print("seed \(seed): \(violation)")
                }
            }
            fflush(nil)
            if stops {
                print("found with seed \(seed)")
                break
            }
        }
        print("seeds \(ran)\nentries \(entries)\npushes \(pushes)\nduplicates \(duplicates)\nanswers \(answered)")
        for event in events.sorted(by: { "\($0.key)" < "\($1.key)" }) { print("\(event.key) \(event.value)") }
        print("recovery-milliseconds \(recovery)\nviolations \(failedSeeds)")
        if failedSeeds > 0, !stops { throw ExitCode(1) }
    }
}

extension ClusterSimulation.PlantedFault: ExpressibleByArgument {}
