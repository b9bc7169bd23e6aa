/// The latencies as columns of a table.
extension LatencyHistogram {
    /// The columns of a table of latencies: mean, p50, p90, p99, p99.9 and the maximum; dashes if there are no values.
    var columns: [String] {
        guard count > 0 else { return Array(repeating: "–", count: 6) }
        return [UnitFormat.time(mean)] + percentiles([50, 90, 99, 99.9]).map { UnitFormat.time($0) }
            + [UnitFormat.time(maximum)]
    }
}
