import CarillonCore
import Foundation

/// A number of a result, by the name that it has in the JSON and in conditions: `lookup.p99_ms`, `all.failed`.
struct Metric: Equatable {
    var name: String
    /// The value; nil if the metric has none, such as a percentile without requests.
    var value: Double?

    /// Returns the same metric as a part of `whole`.
    func part(of whole: String) -> Metric { Metric(name: "\(whole).\(name)", value: value) }
}

extension LatencyHistogram {
    /// The mean, percentiles and maximum in milliseconds; without values if the histogram is empty.
    var metrics: [Metric] {
        let percentiles = [("p50_ms", 50), ("p90_ms", 90), ("p99_ms", 99), ("p99_9_ms", 99.9)]
        let nanoseconds =
            [("mean_ms", mean)] + percentiles.map { ($0.0, Double(percentile($0.1))) } + [("max_ms", Double(maximum))]
        return nanoseconds.map { Metric(name: $0.0, value: count > 0 ? $0.1 / 1e6 : nil) }
    }
}

extension RunResult {
    /// The name of the metrics of all operations together.
    static let all = "all"
    /// The name under which an operation has the metrics of its pushes.
    static let toDevice = "to_device"

    var metrics: [Metric] {
        let parts = operations.flatMap { operation in operation.allMetrics.map { $0.part(of: operation.operation.name) }
        }
        let processes = usage.flatMap { usage in usage.metrics.map { $0.part(of: usage.name) } }
        return parts + totalMetrics.map { $0.part(of: Self.all) } + processes + runMetrics
    }

    /// Returns the names of the metrics that a run with these settings will have.
    static func metricNames(of settings: Settings, measuresPushes: Bool, processes: [String]) -> [String] {
        let measuredTime = MeasuredTime(loadStartNanoseconds: 0, warmUpNanoseconds: 0, durationNanoseconds: 0)
        let usage = processes.map { ProcessUsage(name: $0, cpuSeconds: 0, cores: 0, peakResidentBytes: 0, samples: []) }
        let measurements = LoadRunner.Measurements(
            counts: LoadCounts(measuredTime: measuredTime),
            arrivals: measuresPushes ? ArrivalLatencies(measuredTime: measuredTime, loadStartMicroseconds: 0) : nil,
            usage: usage, wasInterrupted: false)
        let machine = MachineDescription(processor: "", cores: 0, memoryBytes: 0, kernel: "", loadBefore: 0)
        let result = RunResult(measurements, settings: settings, machine: machine, startedAt: Date())
        return result.metrics.map(\.name)
    }

    /// The metrics of all operations together.
    var totalMetrics: [Metric] {
        Operation.counts(answered: answered, failed: failed)
            + [Metric(name: "answered_per_second", value: throughput)] + latency.metrics
            + (allPushes?.metrics ?? []).map { $0.part(of: Self.toDevice) }
    }

    var runMetrics: [Metric] {
        [
            Metric(name: "connections_lost", value: Double(connectionsLost)),
            Metric(name: "arrivals_lost", value: Double(arrivalsLost)),
            Metric(name: "late_p99_ms", value: writeDelay.count > 0 ? Double(writeDelay.percentile(99)) / 1e6 : nil),
        ]
    }

    /// The pushes of all operations together; nil without a simulator.
    private var allPushes: Pushes? {
        let parts = operations.compactMap(\.toDevice)
        guard var sum = parts.first else { return nil }
        for part in parts.dropFirst() {
            sum.addressed += part.addressed
            sum.arrivedPerSecond += part.arrivedPerSecond
            sum.latency.add(part.latency)
        }
        return sum
    }
}

extension RunResult.Operation {
    /// The names under which requests can fail.
    private static let errorNames =
        [LoadCounts.unanswered, LoadCounts.connectionLost]
        + (1...99).map { ErrorCode(rawValue: $0).name }.filter { !$0.hasPrefix("UNKNOWN_") }

    /// The metrics of the operation, without its errors and pushes.
    var metrics: [Metric] {
        Self.counts(answered: answered, failed: failed)
            + [Metric(name: "answered_per_second", value: answeredPerSecond)] + latency.metrics
    }

    /// The metrics of the operation, its errors and its pushes.
    fileprivate var allMetrics: [Metric] {
        let unknown = errors.keys.filter { !Self.errorNames.contains($0) }.sorted()
        let refusals = (Self.errorNames + unknown).map { Metric(name: "errors.\($0)", value: Double(errors[$0] ?? 0)) }
        return metrics + refusals + (toDevice?.metrics ?? []).map { $0.part(of: RunResult.toDevice) }
    }

    fileprivate static func counts(answered: UInt64, failed: UInt64) -> [Metric] {
        let total = Double(answered) + Double(failed)
        return [
            Metric(name: "answered", value: Double(answered)), Metric(name: "failed", value: Double(failed)),
            Metric(name: "failed_percent", value: total > 0 ? Double(failed) / total * 100 : nil),
        ]
    }
}

extension RunResult.Pushes {
    var metrics: [Metric] {
        [
            Metric(name: "addressed", value: Double(addressed)), Metric(name: "arrived", value: Double(arrived)),
            Metric(name: "missing", value: Double(missing)),
            Metric(name: "arrived_per_second", value: arrivedPerSecond),
        ] + latency.metrics
    }
}

extension RunResult.ProcessUsage {
    fileprivate var metrics: [Metric] {
        [
            Metric(name: "cpu_seconds", value: cpuSeconds), Metric(name: "cores", value: cores),
            Metric(name: "answers_per_cpu_second", value: answersPerCPUSecond),
            Metric(name: "peak_resident_bytes", value: Double(peakResidentBytes)),
        ]
    }
}
