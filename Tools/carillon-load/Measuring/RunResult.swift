import Foundation

/// The result of a run: the output of `--json`, and the source of reports and comparisons.
struct RunResult: Codable, Equatable, Sendable {
    /// The settings of the load.
    struct Settings: Codable, Equatable, Sendable {
        var title: String
        var server: String
        var serverSoftware: String
        /// True if the server was started for this run only.
        var isOwnServer: Bool
        /// Requests a second; nil in a closed loop.
        var rate: Double?
        var arrivals: Schedule.Arrivals
        var connections: Int
        /// The most requests in flight on one connection.
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
        /// Additional arguments of an own server.
        var serverFlags: [String]
        /// The directory of the database of an own server.
        var data: String?
        /// The kind of file system of that directory.
        var fileSystem: String?
    }

    /// The most intervals of values over time.
    private static let intervalLimit = 1_000

    /// The result of one operation.
    struct Operation: Codable, Equatable, Sendable {
        var operation: LoadOperation
        /// Requests that were due in the measured time, and answered successfully.
        var answered: UInt64
        /// The other requests, by the name of the error.
        var errors: [String: UInt64]
        /// Nanoseconds from when a request was due to its answer; unanswered requests are included.
        var latency: LatencyHistogram
        /// Nanoseconds from when a request was written to its answer.
        var service: LatencyHistogram
        /// Answers that came in each interval.
        var answeredOverTime: [UInt64]
        /// Refusals and losses that came in each interval.
        var failedOverTime: [UInt64]
        /// Latency of the requests that were due in each interval.
        var latencyOverTime: [Percentiles]
        /// The latency of pushes; nil without a simulator.
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

    /// Some percentiles of nanoseconds; all 0 if there are no values.
    struct Percentiles: Codable, Equatable, Sendable {
        var count: UInt64
        var p50: UInt64
        var p99: UInt64
        var max: UInt64

        init(_ histogram: LatencyHistogram) {
            count = histogram.count
            (p50, p99, max) = (histogram.percentile(50), histogram.percentile(99), histogram.maximum)
        }
    }

    /// The latency of pushes from when their request was due to their arrival at the simulator.
    struct EndToEnd: Codable, Equatable, Sendable {
        /// Recipients of accepted sends.
        var addressed: UInt64
        /// Nanoseconds of the pushes that arrived.
        var latency: LatencyHistogram
        /// Latency of the pushes that were due in each interval.
        var latencyOverTime: [Percentiles]
    }

    /// The resources that a process has used in the measured time.
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
            let values = [cpuSeconds] + samples.flatMap { [$0.seconds, $0.cores] }
            return peakResidentBytes <= RunResult.countLimit && samples.count <= 1_000_000
                && values.allSatisfy { (-1...1e9).contains($0) }
        }
    }

    /// A sample of a process.
    struct Sample: Codable, Equatable, Sendable {
        /// Seconds from the start of the measured time.
        var seconds: Double
        /// Cores used since the sample before.
        var cores: Double
        var residentBytes: UInt64
    }

    /// The largest plausible count of a run; sums of such counts cannot overflow.
    static let countLimit: UInt64 = 1 << 48

    /// The version of this format.
    static let currentVersion = 1

    var version = Self.currentVersion
    /// When the run started: RFC 3339, UTC.
    var startedAt: String
    var settings: Settings
    var machine: Machine
    /// The measured time in seconds: less than requested if the run was interrupted.
    var seconds: Double
    /// The length of an interval of values over time, in seconds.
    var intervalSeconds: Double
    var operations: [Operation]
    /// The delay with which the tool wrote requests, in nanoseconds.
    var lag: LatencyHistogram
    var connectionsLost: UInt64
    /// Arrivals that the simulator could not store.
    var arrivalsLost: UInt64
    var usage: [Usage]
    /// Warnings about the reliability of the results.
    var notes: [String]

    /// Requests that were answered successfully.
    var answered: UInt64 { operations.reduce(0) { $0 + $1.answered } }
    var failed: UInt64 { operations.reduce(0) { $0 + $1.failed } }
    /// Answers a second in the measured time.
    var throughput: Double { Double(operations.flatMap(\.answeredOverTime).reduce(0, +)) / max(seconds, 0.001) }

    /// Answers for each second of a process' CPU time; nil for the simulator, which gives no answers.
    func answersPerCPUSecond(of usage: Usage) -> Double? {
        guard usage.name != Usage.simulator, usage.cpuSeconds > 0 else { return nil }
        return throughput * seconds / usage.cpuSeconds
    }

    /// Latency of all operations together.
    var latency: LatencyHistogram {
        operations.reduce(into: LatencyHistogram()) { $0.add($1.latency) }
    }

    /// Pushes of all sends together; nil without a simulator.
    var endToEnd: LatencyHistogram? {
        let parts = operations.compactMap(\.endToEnd)
        return parts.isEmpty ? nil : parts.reduce(into: LatencyHistogram()) { $0.add($1.latency) }
    }

    /// True if all values are plausible: a file may contain anything.
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
    /// Makes the result of a run without `notes`.
    init(_ outcome: LoadRunner.Outcome, settings: Settings, machine: Machine, startedAt: Date) {
        let counts = outcome.counts
        let count = counts.window.intervals
        let operations = settings.mix.map { share in
            let counted = counts[share.operation]
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
            seconds: counts.window.seconds,
            intervalSeconds: Double(counts.window.interval) / 1e9,
            operations: operations,
            lag: counts.lag,
            connectionsLost: counts.connectionsLost,
            arrivalsLost: outcome.arrivals?.lost ?? 0,
            usage: outcome.usage,
            notes: []
        )
    }
}
