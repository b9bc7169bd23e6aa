import CoreMetrics
import Synchronization

/// A histogram with fixed buckets, so that Prometheus can add them up over servers and time.
final class PrometheusHistogram: PrometheusMetric, TimerHandler, RecorderHandler {
    /// The upper bounds of the buckets.
    enum Scale {
        /// Nanoseconds, written as seconds: 100 µs to 60 s.
        case durations
        /// Counts: 1 to 16,384.
        case sizes

        var bounds: [Int64] {
            switch self {
            case .durations:
                [100_000, 250_000, 500_000]
                    + [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000].map {
                        $0 * 1_000_000
                    }
            case .sizes: (0...14).map { 1 << $0 }
            }
        }

        func text(_ value: Double) -> String {
            switch self {
            case .durations: (value / 1e9).prometheusText
            case .sizes: value.prometheusText
            }
        }
    }

    private let scale: Scale
    private let bounds: [Int64]
    /// One counter for each bound, and one for values above all bounds.
    private let counts: [Cell]
    private let sum = Atomic<Int64>(0)

    private final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    let kind = "histogram"

    init(_ scale: Scale) {
        self.scale = scale
        bounds = scale.bounds
        counts = (0...bounds.count).map { _ in Cell() }
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }
    func record(_ value: Double) { record(Int64(exactly: value.rounded()) ?? 0) }

    func record(_ value: Int64) { record(value, times: 1) }

    func record(_ value: Int64, times: Int) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        counts[bucket].count.wrappingAdd(UInt64(times), ordering: .relaxed)
        // Two hundred years of nanoseconds fit.
        sum.wrappingAdd(max(0, value) &* Int64(times), ordering: .relaxed)
    }

    func write(_ series: Prometheus.Series, to text: inout String) {
        var total: UInt64 = 0
        for (bound, cell) in zip(bounds, counts) {
            total += cell.count.load(ordering: .relaxed)
            text += "\(series.line("_bucket", label: "le=\"\(scale.text(Double(bound)))\"")) \(total)\n"
        }
        total += counts[bounds.count].count.load(ordering: .relaxed)
        text += "\(series.line("_bucket", label: "le=\"+Inf\"")) \(total)\n"
        text += "\(series.line("_sum")) \(scale.text(Double(sum.load(ordering: .relaxed))))\n"
        text += "\(series.line("_count")) \(total)\n"
    }
}
