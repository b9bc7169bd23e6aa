import CarillonCommandLine

/// The progress of a load on one line.
struct ProgressLine {
    private let measuredSeconds: Double
    private let remainingSeconds: Double
    private let isWarmingUp: Bool
    private let answered: UInt64
    private let failed: UInt64
    private let inFlightCount: Int
    private let latency: LatencyHistogram
    private let answeredInLastSecond: Double

    init(
        _ measuredTime: MeasuredTime, endNanoseconds end: UInt64, nowNanoseconds now: UInt64, _ counts: LoadCounts,
        inFlightCount: Int
    ) {
        measuredSeconds = Double(now - min(now, measuredTime.startNanoseconds)) / 1e9
        remainingSeconds = Double(end - min(end, now)) / 1e9
        isWarmingUp = now < measuredTime.startNanoseconds
        self.inFlightCount = inFlightCount
        answered = LoadOperation.allCases.reduce(0) { $0 + counts[$1].answered }
        failed = LoadOperation.allCases.reduce(0) { $0 + counts[$1].errors.values.reduce(0, +) }
        latency = LoadOperation.allCases.reduce(into: LatencyHistogram()) { $0.add(counts[$1].latency) }
        // The complete intervals of the last second.
        let completeCount = min(
            Int(UInt64(measuredSeconds * 1e9) / measuredTime.intervalNanoseconds), measuredTime.intervalCount)
        let countOfSecond = max(1, Int(1_000_000_000 / measuredTime.intervalNanoseconds))
        let latest = max(0, completeCount - countOfSecond)..<completeCount
        let count = LoadOperation.allCases.reduce(0) { sum, operation in
            latest.reduce(sum) { $0 + counts[operation].intervals[$1].answered }
        }
        let seconds = Double(latest.count) * Double(measuredTime.intervalNanoseconds) / 1e9
        answeredInLastSecond = Double(count) / max(seconds, 0.001)
    }

    var line: String {
        guard !isWarmingUp else { return "warming up" }
        var parts = [
            "\(UnitFormat.seconds(remainingSeconds.rounded())) left", "\(answeredInLastSecond.short)/s",
            "p50 \(UnitFormat.time(latency.percentile(50)))",
            "p99 \(UnitFormat.time(latency.percentile(99)))", "max \(UnitFormat.time(latency.maximum))",
            "in flight \(inFlightCount.grouped)",
        ]
        if failed > 0 { parts.append("failed \(failed.grouped)") }
        return parts.joined(separator: "  ")
    }
}
