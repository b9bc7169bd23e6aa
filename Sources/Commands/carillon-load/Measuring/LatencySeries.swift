/// The latencies over time: percentiles of consecutive intervals.
struct LatencySeries: Codable, Equatable, Sendable {
    /// Some percentiles, in nanoseconds; all 0 if there are no values.
    struct Percentiles: Codable, Equatable, Sendable {
        var count: UInt64
        var p50: UInt64
        var p99: UInt64
        var max: UInt64

        private enum CodingKeys: String, CodingKey {
            case count
            case p50 = "p50Ns"
            case p99 = "p99Ns"
            case max = "maxNs"
        }

        init(_ histogram: LatencyHistogram) {
            count = histogram.count
            p50 = histogram.percentile(50)
            p99 = histogram.percentile(99)
            max = histogram.maximum
        }
    }

    /// The number of requests that an interval needs on average. With fewer, p99 is only the maximum.
    static let requestsOfInterval: UInt64 = 100

    /// The length of an interval in seconds. The last may be shorter.
    var intervalSeconds: Double
    var intervals: [Percentiles]

    /// Makes the series. Neighbours are joined until the intervals have enough requests on average. There is one
    /// interval at least, unless there are no requests at all.
    init(_ histograms: [LatencyHistogram], intervalSeconds: Double) {
        let total = histograms.reduce(0) { $0 + $1.count }
        guard total > 0 else {
            self.intervalSeconds = intervalSeconds
            intervals = []
            return
        }
        let wanted = max(1, total / Self.requestsOfInterval)
        let joined = max(1, (UInt64(histograms.count) + wanted - 1) / wanted)
        self.intervalSeconds = intervalSeconds * Double(joined)
        intervals = stride(from: 0, to: histograms.count, by: Int(joined)).map { start in
            var sum = histograms[start]
            for histogram in histograms[(start + 1)...].prefix(Int(joined) - 1) { sum.add(histogram) }
            return Percentiles(sum)
        }
    }
}
