import Foundation

/// The result of a run: the output of `--json`, and the source of reports and comparisons.
///
/// In the JSON the names are in snake_case, and the metrics are beside the values from which they are computed; only
/// these values are read again.
struct RunResult: Codable, Equatable, Sendable {
    /// The settings of the load.
    struct Settings: Codable, Equatable, Sendable {
        var title: String
        var server: String
        var serverSoftware: String
        /// True if the server was started for this run only.
        var isOwnServer: Bool
        /// The requests a second; nil in a closed loop.
        var rate: Double?
        var arrivals: Schedule.Distribution
        var connections: Int
        /// The most requests in flight on one connection.
        var maximumInFlight: Int
        var threads: Int
        var mix: [Mix.Share]
        /// The distribution of devices, groups and topics, as `--keys` has it.
        var keyDistribution: String
        var devices: Int
        var groupSize: Int
        var topics: Int
        var payloadBytes: Int
        var warmUpSeconds: Double
        var durationSeconds: Double
        var seed: UInt64
        /// The additional arguments of an own server.
        var serverFlags: [String]
        /// The directory of the database of an own server.
        var data: String?
        /// The kind of file system of that directory.
        var fileSystem: String?

        enum CodingKeys: String, CodingKey {
            case title, server, serverSoftware, isOwnServer, rate, arrivals, connections, threads, mix, devices
            case groupSize, topics, payloadBytes, warmUpSeconds, durationSeconds, seed, serverFlags, data, fileSystem
            case maximumInFlight = "depth"
            case keyDistribution = "keys"
        }
    }

    /// The most intervals of values over time.
    private static let maximumIntervals = 1_000

    /// The result of one operation.
    struct Operation: Codable, Equatable, Sendable {
        var operation: LoadOperation
        /// The number of requests that were due in the measured time, and answered successfully.
        var answered: UInt64
        /// The number of answers a second that came in the measured time.
        var answeredPerSecond: Double
        /// The numbers of the other requests, by the name of the error.
        var errors: [String: UInt64]
        /// The time from when a request was due to its answer, in nanoseconds. Unanswered requests are included.
        var latency: LatencyHistogram
        /// The time from when a request was written to its answer, in nanoseconds.
        var serviceTime: LatencyHistogram
        /// The number of answers that came in each interval.
        var answeredOverTime: [UInt64]
        /// The number of refusals and losses that came in each interval.
        var failedOverTime: [UInt64]
        /// The latency by the time at which requests were due.
        var latencyOverTime: LatencySeries
        /// The pushes of the operation; nil without a simulator.
        var toDevice: Pushes?

        enum CodingKeys: String, CodingKey {
            case operation = "name"
            case answered, answeredPerSecond, errors, answeredOverTime, failedOverTime, latencyOverTime, toDevice
            case latency = "histogram"
            case serviceTime = "serviceHistogram"
        }

        var failed: UInt64 { errors.values.reduce(0, +) }

        fileprivate var isPlausible: Bool {
            let counts = [answered, toDevice?.addressed ?? 0] + errors.values + answeredOverTime + failedOverTime
            let series = [latencyOverTime] + [toDevice?.latencyOverTime].compactMap { $0 }
            let lists = [answeredOverTime.count, failedOverTime.count, errors.count] + series.map(\.intervals.count)
            let rates = [answeredPerSecond, toDevice?.arrivedPerSecond ?? 0] + series.map(\.intervalSeconds)
            return counts.allSatisfy { $0 <= RunResult.maximumCount }
                && lists.allSatisfy { $0 <= RunResult.maximumIntervals }
                && rates.allSatisfy { (0...1e9).contains($0) }
                && ([latency, serviceTime] + [toDevice?.latency].compactMap { $0 }).allSatisfy {
                    $0.precision == .threeDigits
                }
        }
    }

    /// The pushes of an operation. Their latency counts from the time at which their request was due to their arrival
    /// at the simulator.
    struct Pushes: Codable, Equatable, Sendable {
        /// The number of recipients of accepted sends.
        var addressed: UInt64
        /// The number of arrivals a second, on average over the measured time.
        var arrivedPerSecond: Double
        /// The latency of the pushes that arrived, in nanoseconds.
        var latency: LatencyHistogram
        /// The latency by the time at which requests were due.
        var latencyOverTime: LatencySeries

        enum CodingKeys: String, CodingKey {
            case addressed, arrivedPerSecond, latencyOverTime
            case latency = "histogram"
        }

        var arrived: UInt64 { latency.count }
        /// The number of pushes that had not arrived by the end.
        var missing: UInt64 { addressed - min(addressed, arrived) }
    }

    /// The resources that a process has used in the measured time.
    struct ProcessUsage: Codable, Equatable, Sendable {
        static let server = "server"
        static let simulator = "simulator"
        static let tool = "carillon-load"

        /// The name of the process: one of the names above.
        var name: String
        var cpuSeconds: Double
        /// The number of processors that the process used on average.
        var cores: Double
        /// The number of answers for each second of the process' CPU time; nil for the simulator, which gives no
        /// answers.
        var answersPerCPUSecond: Double?
        var peakResidentBytes: UInt64
        var samples: [Sample]

        private enum CodingKeys: String, CodingKey {
            case name, cpuSeconds, cores, peakResidentBytes, samples
            case answersPerCPUSecond = "answersPerCpuSecond"
        }

        fileprivate var isPlausible: Bool {
            let values = [cpuSeconds, cores, answersPerCPUSecond ?? 0] + samples.flatMap { [$0.seconds, $0.cores] }
            return peakResidentBytes <= RunResult.maximumCount && samples.count <= 1_000_000
                && values.allSatisfy { (-1...1e9).contains($0) }
        }
    }

    /// A sample of a process.
    struct Sample: Codable, Equatable, Sendable {
        /// The seconds from the start of the measured time.
        var seconds: Double
        /// The number of processors that were used since the sample before.
        var cores: Double
        var residentBytes: UInt64
    }

    /// The largest plausible count of a run. Sums of such counts cannot overflow.
    static let maximumCount: UInt64 = 1 << 48

    static let currentVersion = 2

    var version = Self.currentVersion
    /// The name and version of this tool.
    var software = CarillonLoad.software
    var build = Build.own
    /// The build of the server; nil if it is not known.
    var serverBuild: Build?
    /// The time at which the run started: RFC 3339, UTC.
    var startedAt: String
    var settings: Settings
    var machine: MachineDescription
    /// The measured time in seconds. It is less than requested if the run was interrupted.
    var seconds: Double
    /// The length of an interval of values over time, in seconds.
    var intervalSeconds: Double
    var operations: [Operation]
    /// The delay with which the tool wrote requests, in nanoseconds.
    var writeDelay: LatencyHistogram
    var connectionsLost: UInt64
    /// The number of arrivals that the simulator could not store.
    var arrivalsLost: UInt64
    var usage: [ProcessUsage]
    /// The warnings about the reliability of the results.
    var notes: [String]
    /// The conditions of `--fail-if`, and whether they hold.
    var failIf: [ConditionResult] = []

    enum CodingKeys: String, CodingKey {
        case version, software, build, serverBuild, startedAt, settings, machine, seconds, intervalSeconds, operations
        case connectionsLost, arrivalsLost, usage, notes, failIf
        case writeDelay = "lateHistogram"
    }

    /// The number of requests that were answered successfully.
    var answered: UInt64 { operations.reduce(0) { $0 + $1.answered } }
    var failed: UInt64 { operations.reduce(0) { $0 + $1.failed } }
    /// The number of answers a second in the measured time.
    var throughput: Double { Double(operations.flatMap(\.answeredOverTime).reduce(0, +)) / max(seconds, 0.001) }

    /// The number of requests a second that were due in the measured time. With random times, `settings.rate` is only
    /// their average.
    var duePerSecond: Double { (Double(answered) + Double(failed)) / max(seconds, 0.001) }
    /// True if 98 of 100 requests that were due had their answer within the measured time.
    var isRateHeld: Bool { throughput >= duePerSecond * 0.98 }

    /// The latency of all operations together.
    var latency: LatencyHistogram {
        operations.reduce(into: LatencyHistogram()) { $0.add($1.latency) }
    }

    /// The latency of the pushes of all sends together; nil without a simulator.
    var latencyToDevice: LatencyHistogram? {
        let parts = operations.compactMap(\.toDevice)
        return parts.isEmpty ? nil : parts.reduce(into: LatencyHistogram()) { $0.add($1.latency) }
    }

    /// True if all values are plausible. A file may contain any values.
    var isPlausible: Bool {
        let times = [
            seconds, intervalSeconds, settings.warmUpSeconds, settings.durationSeconds, machine.loadBefore,
            settings.rate ?? 1,
        ]
        let counts = [connectionsLost, arrivalsLost]
        return times.allSatisfy { (0...1e9).contains($0) } && intervalSeconds >= 0.01
            && counts.allSatisfy { $0 <= Self.maximumCount }
            && Set(operations.map(\.operation)).count == operations.count && operations.allSatisfy(\.isPlausible)
            && usage.count <= 16 && usage.allSatisfy(\.isPlausible)
    }

    func usage(of name: String) -> ProcessUsage? { usage.first { $0.name == name } }
}

extension RunResult {
    /// Makes the result of a run, without `notes`: they are made from the result.
    init(_ measurements: LoadRunner.Measurements, settings: Settings, machine: MachineDescription, startedAt: Date) {
        let counts = measurements.counts
        let count = counts.measuredTime.intervalCount
        let seconds = counts.measuredTime.seconds
        let intervalSeconds = Double(counts.measuredTime.intervalNanoseconds) / 1e9
        let operations = settings.mix.map { share in
            let counted = counts[share.operation]
            let intervals = counted.intervals.prefix(count)
            return Operation(
                operation: share.operation,
                answered: counted.answered,
                answeredPerSecond: Double(intervals.reduce(0) { $0 + $1.answered }) / max(seconds, 0.001),
                errors: counted.errors,
                latency: counted.latency,
                serviceTime: counted.serviceTime,
                answeredOverTime: intervals.map(\.answered),
                failedOverTime: intervals.map(\.failed),
                latencyOverTime: LatencySeries(intervals.map(\.latency), intervalSeconds: intervalSeconds),
                toDevice: share.operation.isSend
                    ? measurements.arrivals?.pushes(
                        share.operation, addressed: counted.addressed, intervals: count, seconds: seconds) : nil
            )
        }
        self.init(
            startedAt: startedAt.ISO8601Format(),
            settings: settings,
            machine: machine,
            seconds: seconds,
            intervalSeconds: intervalSeconds,
            operations: operations,
            writeDelay: counts.writeDelay,
            connectionsLost: counts.connectionsLost,
            arrivalsLost: measurements.arrivals?.lostCount ?? 0,
            usage: measurements.usage,
            notes: []
        )
    }
}
