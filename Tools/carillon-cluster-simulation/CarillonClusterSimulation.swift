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
    var stopAtFirst = false

    /// The most seeds, and the most violations of each, that are printed.
    private static let (maximumPrintedSeeds, maximumPrintedViolations) = (10, 3)

    mutating func run() throws {
        var totals = Totals()
        for seed in seed..<seed + seeds {
            let report = ClusterSimulation(seed: seed, fault: fault).run()
            totals.add(report)
            guard !report.violations.isEmpty else { continue }
            if totals.failedSeeds <= Self.maximumPrintedSeeds {
                for violation in report.violations.prefix(Self.maximumPrintedViolations) {
                    print("seed \(seed): \(violation)")
                }
            }
            // A proof reads the violations while later seeds run.
            fflush(nil)
            if stopAtFirst {
                print("found with seed \(seed)")
                break
            }
        }
        totals.print()
        if totals.failedSeeds > 0, !stopAtFirst { throw ExitCode(1) }
    }

    /// The sums over the seeds that have run.
    private struct Totals {
        private var seeds = 0
        private(set) var failedSeeds = 0
        private var entries: UInt64 = 0
        private var pushes = 0
        private var duplicates = 0
        private var answers = 0
        private var longestRecoveryMilliseconds: UInt64 = 0
        private var events: [ClusterSimulation.Event: Int] = [:]

        mutating func add(_ report: ClusterSimulation.Report) {
            seeds += 1
            failedSeeds += report.violations.isEmpty ? 0 : 1
            entries += report.entries
            pushes += report.pushes
            duplicates += report.duplicates
            answers += report.answered
            longestRecoveryMilliseconds = max(longestRecoveryMilliseconds, report.recoveryMilliseconds)
            events.merge(report.events, uniquingKeysWith: +)
        }

        /// Prints a line for each sum: its name and its value.
        func print() {
            let sums = [
                "seeds \(seeds)", "entries \(entries)", "pushes \(pushes)", "duplicates \(duplicates)",
                "answers \(answers)",
            ]
            let ends = ["recovery-milliseconds \(longestRecoveryMilliseconds)", "failed-seeds \(failedSeeds)"]
            for line in sums + events.map { "\($0.key) \($0.value)" }.sorted() + ends { Swift.print(line) }
        }
    }
}

extension ClusterSimulation.PlantedFault: ExpressibleByArgument {}
