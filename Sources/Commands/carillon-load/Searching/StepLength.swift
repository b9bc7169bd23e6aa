/// The length of a step of a search: long enough for the percentiles of the limits.
enum StepLength {
    /// The number of requests that must be beyond a percentile.
    private static let requestsBeyondPercentile = 10.0
    /// The number of requests that other metrics need.
    private static let requestsOfOtherMetrics = 100.0
    /// The longest step in seconds, at very low rates.
    private static let maximumSeconds = 600.0

    /// Returns the seconds that a step at `rate` needs for the limits.
    static func seconds(rate: Double, limits: [MetricCondition], mix: Mix, minimumSeconds: Double) -> Double {
        let needed = limits.map { limit in
            let parts = limit.metric.split(separator: ".")
            let share = parts.first.flatMap { LoadOperation(name: $0) }.map { mix.share(of: $0) } ?? 1
            return requests(for: parts.last ?? "") / (rate * max(share, 1e-6))
        }
        return max(minimumSeconds, min(needed.max() ?? 0, maximumSeconds))
    }

    private static func requests(for metric: Substring) -> Double {
        switch metric {
        case "p90_ms": requestsBeyondPercentile / 0.1
        case "p99_ms": requestsBeyondPercentile / 0.01
        case "p99_9_ms": requestsBeyondPercentile / 0.001
        default: requestsOfOtherMetrics
        }
    }
}
