/// How a load stands, on one line for a person who waits.
struct Progress {
    private let seconds: Double
    private let left: Double
    private let isWarmingUp: Bool
    private let answered: UInt64
    private let failed: UInt64
    private let underWay: Int
    private let latency: Histogram
    private let lastSecond: Double

    init(_ window: Window, end: UInt64, now: UInt64, _ tally: Tally, underWay: Int) {
        seconds = Double(now - min(now, window.start)) / 1e9
        left = Double(end - min(end, now)) / 1e9
        isWarmingUp = now < window.start
        self.underWay = underWay
        answered = LoadOperation.allCases.reduce(0) { $0 + tally[$1].answered }
        failed = LoadOperation.allCases.reduce(0) { $0 + tally[$1].errors.values.reduce(0, +) }
        latency = LoadOperation.allCases.reduce(into: Histogram()) { $0.add(tally[$1].latency) }
        // The pieces of the last second that are over.
        let over = min(Int(UInt64(seconds * 1e9) / window.interval), window.intervals)
        let pieces = max(0, over - max(1, Int(1_000_000_000 / window.interval)))..<over
        let count = LoadOperation.allCases.reduce(0) { sum, operation in
            pieces.reduce(sum) { $0 + tally[operation].intervals[$1].answered }
        }
        lastSecond = Double(count) / max(Double(pieces.count) * Double(window.interval) / 1e9, 0.001)
    }

    var line: String {
        guard !isWarmingUp else { return "warming up" }
        var parts = [
            "\(Words.seconds(left.rounded())) left", "\(lastSecond.short)/s",
            "p50 \(Words.time(latency.percentile(50)))",
            "p99 \(Words.time(latency.percentile(99)))", "max \(Words.time(latency.maximum))",
            "under way \(underWay.grouped)",
        ]
        if failed > 0 { parts.append("failed \(failed.grouped)") }
        return parts.joined(separator: "  ")
    }
}
