import ArgumentParser
import CarillonClock
import CarillonCluster
import CarillonClusterNode
import CarillonCore
import CarillonPostgreSQL
import Foundation
import Synchronization

/// The bench of a shared log, to which several nodes append as fast as possible at once. `Tools/bench` does not run it.
struct LogBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Measures appends to a shared log on PostgreSQL.",
        discussion: """
            The last lines are RESULT lines: appends and changes a second, and the time of an append in milliseconds. \
            It adds entries to the log that the connection string names; use an empty database.
            """)

    @Argument(help: "The connection string of libpq: a postgresql:// URL or keyword=value pairs.")
    var connection: String

    @Option(help: "Nodes that append at the same time.")
    var nodes = 1

    @Option(help: "Changes of an entry.")
    var changes = 1_000

    @Option(help: "Bytes of a change.")
    var changeBytes = 100

    @Option(help: "Seconds to measure.")
    var seconds: UInt64 = 10

    /// The times of the appends of all nodes, in microseconds.
    private final class Times: Sendable {
        let microseconds = Mutex<[UInt64]>([])
    }

    func validate() throws {
        guard (1...64).contains(nodes), (1...3_600).contains(seconds), changes > 0, changeBytes > 0,
            changes.multipliedReportingOverflow(by: changeBytes).overflow == false,
            changes * changeBytes <= LogEntry.maximumChangeBytes
        else { throw ValidationError("1 to 64 nodes, 1 to 3,600 seconds, and entries of at most 8 MiB") }
    }

    func run() throws {
        let times = Times()
        let appendingNodes = try (0..<nodes).map {
            try AppendingNode(connection, index: $0, bytes: changes * changeBytes, times: times)
        }
        let begin = Clock.uptime()
        Self.append(with: appendingNodes, until: begin + seconds * 1_000)
        let passed = Double(Clock.uptime().milliseconds(since: begin)) / 1_000
        for node in appendingNodes { node.log.close() }
        try printResults(times.microseconds.withLock { $0.sorted() }, passedSeconds: passed)
    }

    /// Lets all nodes append at the same time, each on a thread of its own, and waits for their end.
    private static func append(with nodes: [AppendingNode], until end: Uptime) {
        let threads = DispatchGroup()
        for node in nodes {
            threads.enter()
            Thread.detachNewThread {
                node.append(until: end)
                threads.leave()
            }
        }
        threads.wait()
    }

    /// Prints the RESULT lines.
    ///
    /// - Parameter all: the times of all appends in microseconds, the shortest first.
    private func printResults(_ all: [UInt64], passedSeconds: Double) throws {
        guard !all.isEmpty else { throw ValidationError("no append has succeeded") }
        func quantile(_ share: Double) -> Double {
            Double(all[min(all.count - 1, Int(Double(all.count) * share))]) / 1_000
        }
        let rate = Double(all.count) / passedSeconds
        let results = [
            ("appends_per_second", rate), ("changes_per_second", rate * Double(changes)), ("p50_ms", quantile(0.5)),
            ("p99_ms", quantile(0.99)), ("longest_ms", quantile(1)),
        ]
        for (name, value) in results { print("RESULT log.\(name)_\(nodes) \(String(format: "%.1f", value))") }
    }

    private final class AppendingNode: Sendable {
        let log: PostgreSQLLog
        private let member: Member
        private let changes: [UInt8]
        private let times: Times

        init(_ connection: String, index: Int, bytes: Int, times: Times) throws {
            let log = try PostgreSQLLog(connection)
            guard let name = NodeName("bench-\(index)") else { throw ValidationError("no name") }
            let node = JoiningNode(name: name, replicaID: .random(), address: "", format: 1, leaseMilliseconds: 1)
            member = try awaitAnswer { log.join(node, withinMilliseconds: 10_000, $0) }.get().member
            self.log = log
            self.times = times
            var random = SeededGenerator(seed: UInt64(index))
            changes = (0..<bytes).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        }

        func append(until end: Uptime) {
            var rule = AppendRule(member: member)
            while Clock.uptime() < end {
                let began = Clock.uptimeNanoseconds()
                guard case .append(let entry) = rule.begin(.changes(changes), format: 1, deadline: end, at: 0) else {
                    return
                }
                let position: LogPosition
                do {
                    position = try awaitAnswer { log.append(entry, withinMilliseconds: 10_000, $0) }.get()
                } catch {
                    FileHandle.standardError.write(Data("\(entry.id): \(error)\n".utf8))
                    return
                }
                _ = rule.entryAppended(at: position)
                let passed = (Clock.uptimeNanoseconds() - began) / 1_000
                times.microseconds.withLock { $0.append(passed) }
            }
        }
    }
}
