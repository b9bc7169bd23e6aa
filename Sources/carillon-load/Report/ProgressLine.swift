import CarillonCommandLine

/// The progress of a load on one line.
struct ProgressLine {
    private let seconds: Double
    private let left: Double
    private let isWarmingUp: Bool
    private let answered: UInt64
    private let failed: UInt64
    private let inFlight: Int
    private let latency: LatencyHistogram
    private let lastSecond: Double

    init(_ window: Window, end: UInt64, now: UInt64, _ counts: LoadCounts, inFlight: Int) {
        seconds = Double(now - min(now, window.start)) / 1e9
        left = Double(end - min(end, now)) / 1e9
        isWarmingUp = now < window.start
        self.inFlight = inFlight
        answered = LoadOperation.allCases.reduce(0) { $0 + counts[$1].answered }
        failed = LoadOperation.allCases.reduce(0) { $0 + counts[$1].errors.values.reduce(0, +) }
        latency = LoadOperation.allCases.reduce(into: LatencyHistogram()) { $0.add(counts[$1].latency) }
        // The complete intervals of the last second.
        let over = min(Int(UInt64(seconds * 1e9) / window.interval), window.intervals)
        let pieces = max(0, over - max(1, Int(1_000_000_000 / window.interval)))..<over
        let count = LoadOperation.allCases.reduce(0) { sum, operation in
            pieces.reduce(sum) { $0 + counts[operation].intervals[$1].answered }
        }
        lastSecond = Double(count) / max(Double(pieces.count) * Double(window.interval) / 1e9, 0.001)
    }

    var line: String {
        guard !isWarmingUp else { return "warming up" }
        var parts = [
            "\(UnitFormat.seconds(left.rounded())) left", "\(lastSecond.short)/s",
            "p50 \(UnitFormat.time(latency.percentile(50)))",
            "p99 \(UnitFormat.time(latency.percentile(99)))", "max \(UnitFormat.time(latency.maximum))",
            "in flight \(inFlight.grouped)",
        ]
        if failed > 0 { parts.append("failed \(failed.grouped)") }
        return parts.joined(separator: "  ")
    }
}
