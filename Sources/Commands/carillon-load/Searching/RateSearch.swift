/// The search for the highest rate that holds. The rate doubles until it fails, then the gap is halved.
///
/// A rate fails only if it fails twice in a row, so that one disturbance of the machine does not decide.
struct RateSearch: Equatable {
    private let start: Double
    private let bounds: ClosedRange<Double>
    private let precision: Double
    /// The highest rate that has held; nil if no rate has held.
    private(set) var highestHolding: Double?
    /// The lowest rate that has failed twice; nil if there is none.
    private(set) var lowestFailing: Double?
    /// The rate that has failed once and is tried again; nil if no rate is in doubt.
    private var doubtfulRate: Double?

    /// - Parameters:
    ///   - start: the first rate.
    ///   - bounds: the lowest and the highest rate that are tried; `start` is within them.
    ///   - precision: the part, such as 0.05, by which the lowest rate that fails may be above the highest that holds
    ///     at the end of the search.
    init(start: Double, bounds: ClosedRange<Double>, precision: Double) {
        self.start = start
        self.bounds = bounds
        self.precision = precision
    }

    /// The rate of the next step; nil at the end.
    var nextRate: Double? {
        if let doubtfulRate { return doubtfulRate }
        switch (highestHolding, lowestFailing) {
        case (nil, nil): return start
        case (let holding?, nil): return holding < bounds.upperBound ? min(holding * 2, bounds.upperBound) : nil
        case (nil, let failing?): return failing > bounds.lowerBound ? max(failing / 2, bounds.lowerBound) : nil
        case (let holding?, let failing?):
            return failing > holding * (1 + precision) ? (holding + failing) / 2 : nil
        }
    }

    /// Records the result of the step at the rate `nextRate`.
    mutating func record(holds: Bool) {
        guard let rate = nextRate else { return }
        let hasFailedBefore = doubtfulRate != nil
        doubtfulRate = nil
        if holds {
            highestHolding = rate
        } else if hasFailedBefore {
            lowestFailing = rate
        } else {
            doubtfulRate = rate
        }
    }
}

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
