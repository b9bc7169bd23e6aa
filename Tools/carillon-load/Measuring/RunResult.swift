import Foundation

/// All that is known of a run: what `--json` writes, and what reports and comparisons are made of.
struct RunResult: Codable, Equatable, Sendable {
    /// How the load was made.
    struct Settings: Codable, Equatable, Sendable {
        var title: String
        var server: String
        var serverSoftware: String
        /// Whether the server was started for this run only.
        var isOwnServer: Bool
        /// Requests a second that were to be sent; nothing in a closed loop.
        var rate: Double?
        var arrivals: Schedule.Arrivals
        var connections: Int
        /// Requests under way on one connection at most.
        var depth: Int
        var threads: Int
        var mix: [Mix.Share]
        var keys: String
        var devices: Int
        var groupSize: Int
        var topics: Int
        var payloadBytes: Int
        var warmUpSeconds: Double
        var durationSeconds: Double
        var seed: UInt64
        /// More arguments that an own server was given.
        var serverFlags: [String]
        /// Where the database of an own server was.
        var data: String?
        /// The kind of file system that is.
        var fileSystem: String?
    }

    /// Figures over time have at most so many pieces.
    private static let intervalLimit = 1_000

    /// What became of one operation.
    struct Operation: Codable, Equatable, Sendable {
        var operation: LoadOperation
        /// Requests that were due in the time that counts, and answered as they should be.
        var answered: UInt64
        /// Of the others, how many by which name.
        var errors: [String: UInt64]
        /// Nanoseconds from when it was due to its answer, with those never answered.
        var latency: Histogram
        /// Nanoseconds from when it was written to its answer.
        var service: Histogram
        /// Answers that came in each interval.
        var answeredOverTime: [UInt64]
        /// Refusals and losses that came in each interval.
        var failedOverTime: [UInt64]
        /// Latency of what was due in each interval.
        var latencyOverTime: [Percentiles]
        /// How the pushes of a send fared, if the simulator has told.
        var endToEnd: EndToEnd?

        var failed: UInt64 { errors.values.reduce(0, +) }

        fileprivate var isPlausible: Bool {
            let counts = [answered, endToEnd?.addressed ?? 0] + errors.values + answeredOverTime + failedOverTime
            let lists = [answeredOverTime.count, failedOverTime.count, latencyOverTime.count, errors.count]
            return counts.allSatisfy { $0 <= RunResult.countLimit }
                && (lists + [endToEnd?.latencyOverTime.count ?? 0]).allSatisfy { $0 <= RunResult.intervalLimit }
                && ([latency, service] + [endToEnd?.latency].compactMap { $0 }).allSatisfy {
                    $0.precision == .threeDigits
                }
        }
    }

    /// Some percentiles of nanoseconds; all 0 of nothing.
    struct Percentiles: Codable, Equatable, Sendable {
        var count: UInt64
        var p50: UInt64
        var p99: UInt64
        var max: UInt64

        init(_ histogram: Histogram) {
            count = histogram.count
            (p50, p99, max) = (histogram.percentile(50), histogram.percentile(99), histogram.maximum)
        }
    }

    /// Pushes from when their request was due to their arrival at the simulator.
    struct EndToEnd: Codable, Equatable, Sendable {
        /// Devices that accepted sends spoke of.
        var addressed: UInt64
        /// Nanoseconds of the pushes that arrived.
        var latency: Histogram
        /// Of what was due in each interval.
        var latencyOverTime: [Percentiles]
    }

    /// What a process has used in the time that counts.
    struct Usage: Codable, Equatable, Sendable {
        static let server = "server"
        static let simulator = "simulator"
        static let tool = "carillon-load"

        /// One of the names above.
        var name: String
        var cpuSeconds: Double
        var peakResidentBytes: UInt64
        var samples: [Sample]

        fileprivate var isPlausible: Bool {
            let figures = [cpuSeconds] + samples.flatMap { [$0.seconds, $0.cores] }
            return peakResidentBytes <= RunResult.countLimit && samples.count <= 1_000_000
                && figures.allSatisfy { (-1...1e9).contains($0) }
        }
    }

    /// A look at a process.
    struct Sample: Codable, Equatable, Sendable {
        /// Seconds from the beginning of the time that counts.
        var seconds: Double
        /// Cores that it has used since the sample before.
        var cores: Double
        var residentBytes: UInt64
    }

    /// No count of a real run is larger; sums of them are far from any overflow.
    static let countLimit: UInt64 = 1 << 48

    /// The version of this form.
    static let currentVersion = 1

    var version = Self.currentVersion
    /// When it began: RFC 3339, UTC.
    var startedAt: String
    var settings: Settings
    var machine: Machine
    /// Seconds that counted: less than asked for if the run was interrupted.
    var seconds: Double
    /// Seconds of one interval of what is told over time.
    var intervalSeconds: Double
    var operations: [Operation]
    /// How late the tool wrote requests, in nanoseconds.
    var lag: Histogram
    var connectionsLost: UInt64
    /// Pushes that arrived and could not be kept.
    var arrivalsLost: UInt64
    var usage: [Usage]
    /// What a reader should know before believing the figures.
    var notes: [String]

    /// Requests that were answered as they should be.
    var answered: UInt64 { operations.reduce(0) { $0 + $1.answered } }
    var failed: UInt64 { operations.reduce(0) { $0 + $1.failed } }
    /// Answers a second in the time that counts.
    var throughput: Double { Double(operations.flatMap(\.answeredOverTime).reduce(0, +)) / max(seconds, 0.001) }

    /// Answers for each second of a process' CPU time; nothing of the simulator, which gives none of them.
    func answersPerCPUSecond(of usage: Usage) -> Double? {
        guard usage.name != Usage.simulator, usage.cpuSeconds > 0 else { return nil }
        return throughput * seconds / usage.cpuSeconds
    }

    /// Latency of all operations together.
    var latency: Histogram {
        operations.reduce(into: Histogram()) { $0.add($1.latency) }
    }

    /// Pushes of all sends together; nil if the simulator has not told.
    var endToEnd: Histogram? {
        let parts = operations.compactMap(\.endToEnd)
        return parts.isEmpty ? nil : parts.reduce(into: Histogram()) { $0.add($1.latency) }
    }

    /// Whether all of it can be: a file may say anything.
    var isPlausible: Bool {
        let times = [
            seconds, intervalSeconds, settings.warmUpSeconds, settings.durationSeconds, machine.loadBefore,
            settings.rate ?? 1,
        ]
        let counts = [connectionsLost, arrivalsLost]
        return times.allSatisfy { (0...1e9).contains($0) } && intervalSeconds >= 0.01
            && counts.allSatisfy { $0 <= Self.countLimit }
            && Set(operations.map(\.operation)).count == operations.count && operations.allSatisfy(\.isPlausible)
            && usage.count <= 16 && usage.allSatisfy(\.isPlausible)
    }

    func usage(of name: String) -> Usage? { usage.first { $0.name == name } }
}

extension RunResult {
    /// The result of what was measured; `notes` are still missing.
    init(_ outcome: LoadRunner.Outcome, _ settings: Settings, _ machine: Machine, startedAt: Date) {
        let tally = outcome.tally
        let count = tally.window.intervals
        let operations = settings.mix.map { share in
            let counted = tally[share.operation]
            let intervals = counted.intervals.prefix(count)
            return Operation(
                operation: share.operation,
                answered: counted.answered,
                errors: counted.errors,
                latency: counted.latency,
                service: counted.service,
                answeredOverTime: intervals.map(\.answered),
                failedOverTime: intervals.map(\.failed),
                latencyOverTime: intervals.map { Percentiles($0.latency) },
                endToEnd: share.operation.isSend
                    ? outcome.arrivals?.endToEnd(share.operation, addressed: counted.addressed, intervals: count) : nil
            )
        }
        self.init(
            startedAt: startedAt.ISO8601Format(),
            settings: settings,
            machine: machine,
            seconds: tally.window.seconds,
            intervalSeconds: Double(tally.window.interval) / 1e9,
            operations: operations,
            lag: tally.lag,
            connectionsLost: tally.connectionsLost,
            arrivalsLost: outcome.arrivals?.lost ?? 0,
            usage: outcome.usage,
            notes: []
        )
    }
}
