import CarillonCluster
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonClusterTestKit

/// The simulations of whole clusters in virtual time, with faults and a judge. `Tools/prove cluster-simulation` runs
/// many more seeds.
struct ClusterNodeSimulationTests {
    /// The reports of the runs with faults that were made. Two tests read them, and a run takes a quarter of a second.
    private static let reports = Mutex<[UInt64: ClusterSimulation.Report]>([:])

    private func report(of seed: UInt64) -> ClusterSimulation.Report {
        if let report = Self.reports.withLock({ $0[seed] }) { return report }
        let report = ClusterSimulation(seed: seed).run()
        Self.reports.withLock { $0[seed] = report }
        return report
    }

    @Test(arguments: TestSeeds.of(1...60))
    func `a cluster keeps its promises`(seed: UInt64) {
        #expect(report(of: seed).violations == [], "CARILLON_SEED=\(seed)")
    }

    @Test(
        arguments: [
            // A server with data joined 16 times before one of its joins was answered.
            8966,
            // A join of a node was carried out after a later one: the model of the log database was wrong.
            42595,
        ] as [UInt64])
    func `a seed that found a fault passes`(seed: UInt64) {
        #expect(ClusterSimulation(seed: seed).run().violations == [], "seed \(seed)")
    }

    @Test(arguments: ClusterSimulation.PlantedFault.allCases)
    func `a planted fault is found`(fault: ClusterSimulation.PlantedFault) {
        let found = (1...2_000 as ClosedRange<UInt64>).contains { seed in
            ClusterSimulation(seed: seed, fault: fault).run().violations != []
        }
        #expect(found)
    }

    @Test func `every kind of event that the judge knows happens`() {
        var events: [ClusterSimulation.Event: Int] = [:]
        // From the last seed: the test of the promises begins with the first, so that nearly no run is made twice.
        for seed in (1...60 as ClosedRange<UInt64>).reversed() {
            events.merge(report(of: seed).events, uniquingKeysWith: +)
        }
        for event in ClusterSimulation.Event.allCases { #expect(events[event, default: 0] > 2, "\(event)") }
    }

    @Test func `the same seed gives the same run`() {
        let reports = [ClusterSimulation(seed: 7).run(), ClusterSimulation(seed: 7).run()]
        #expect(reports[0] == reports[1])
        #expect(reports[0].answered > 0)
    }

    @Test func `no push is sent twice without faults`() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let report = ClusterSimulation(seed: seed, hasFaults: false).run()
            #expect(report.violations == [], "seed \(seed)")
            #expect(report.duplicates == 0, "seed \(seed)")
            #expect(report.answered > 100, "seed \(seed)")
        }
    }

    @Test func `a large fan-out is sent by all nodes`() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let report = ClusterSimulation(seed: seed, hasFaults: false).runFanOut(pages: 300)
            #expect(report.violations == [], "seed \(seed)")
            #expect(report.pushes == 900, "seed \(seed)")
            #expect(report.shares.allSatisfy { $0 >= 0.2 }, "seed \(seed): \(report.shares)")
        }
    }

    // MARK: The judge

    /// A log and the data of a node at its beginning.
    struct Beginning: CustomTestStringConvertible {
        /// nil if the log says no initial state.
        var kind: InitialState.Kind?
        /// True if the node has the data that were imported.
        var imports = true
        /// The violations that the judge finds.
        var violations: [String] = []

        var testDescription: String { "\(kind.map { "\($0)" } ?? "none")\(imports ? "" : ", without data")" }
    }

    /// The initial state comes before all other entries or never. The judge compares the replica after 16 entries.
    @Test(
        arguments: [
            // Before the initial state each disk has data of its own.
            Beginning(),
            Beginning(kind: .imported),
            Beginning(kind: .imported, imports: false, violations: ["a has another state at 16"]),
            Beginning(kind: .empty, violations: ["a has another state at 16"]),
        ])
    func `states are compared from the initial state on`(_ beginning: Beginning) throws {
        let judge = SimulationJudge(maximumUnrecordedPushes: 6, maximumStalenessMilliseconds: 100)
        var replica = beginning.imports ? ModelState.imported : ModelState()
        let node = try #require(NodeName("a"))
        for number in 1...16 as ClosedRange<UInt64> {
            let begins = number == 2 ? beginning.kind.flatMap { InitialState(kind: $0, parameters: []) } : nil
            let member = Member(node: node, incarnation: begins == nil ? number : number - 1)
            let id = LogEntry.ID(member: member, sequence: begins == nil ? 1 : 2)
            let entry = try #require(LogEntry(id: id, format: 1, content: begins.map { .initialState($0) } ?? .joined))
            judge.appended(entry)
            _ = replica.apply(entry)
            judge.applied(replica, by: node)
        }
        #expect(judge.violations == beginning.violations)
    }

    // MARK: The checker

    @Test(
        arguments: [
            // A read sees what was set before it, and what is being set.
            ([.init(.swap(1, before: 0), began: 1, ended: 2), .init(.read(1), began: 3, ended: 4)], true),
            ([.init(.swap(1, before: 0), began: 1, ended: 2), .init(.read(0), began: 3, ended: 4)], false),
            ([.init(.swap(1, before: 0), began: 1, ended: 9), .init(.read(0), began: 3, ended: 4)], true),
            // Of two reads after each other the second is not older.
            (
                [
                    .init(.swap(1, before: 0), began: 1, ended: 9), .init(.read(1), began: 2, ended: 3),
                    .init(.read(0), began: 4, ended: 5),
                ], false
            ),
            // What has no answer may have taken effect, late, or not at all.
            ([.init(.swap(1, before: nil), began: 1, ended: .max), .init(.read(1), began: 8, ended: 9)], true),
            ([.init(.swap(1, before: nil), began: 1, ended: .max), .init(.read(0), began: 8, ended: 9)], true),
            // Two changes cannot both have found the same value.
            ([.init(.swap(1, before: 0), began: 1, ended: 9), .init(.swap(2, before: 0), began: 1, ended: 9)], false),
        ] as [([LinearizabilityChecker.Operation], Bool)])
    func `the checker finds the histories that are not linearizable`(
        history: [LinearizabilityChecker.Operation], expected: Bool
    ) {
        #expect(LinearizabilityChecker.isLinearizable(history, first: 0) == expected)
    }
}
