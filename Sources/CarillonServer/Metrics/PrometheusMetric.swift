import CoreMetrics
import Synchronization

/// A metric that can be written as text; changing it costs an atomic addition.
protocol PrometheusMetric: AnyObject, Sendable {
    /// The type in the TYPE line.
    var kind: String { get }
    /// Appends the lines of the series.
    func write(_ series: Prometheus.Series, to text: inout String)
}

extension Prometheus.Series {
    /// `name{labels}`, with a suffix and one more label if they are given.
    func line(_ suffix: String = "", _ more: String = "") -> String {
        let all = [labels, more].filter { !$0.isEmpty }.joined(separator: ",")
        return name + suffix + (all.isEmpty ? "" : "{\(all)}")
    }
}

/// A counter.
final class PrometheusCounter: PrometheusMetric, CounterHandler {
    private let value = Atomic<UInt64>(0)

    let kind = "counter"

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    func write(_ series: Prometheus.Series, to text: inout String) {
        text += "\(series.line()) \(value.load(ordering: .relaxed))\n"
    }
}

/// A gauge. If its name ends in `_total` it shows a counter that is kept elsewhere.
final class PrometheusGauge: PrometheusMetric, RecorderHandler, MeterHandler {
    private let bits = Atomic<UInt64>(0)

    let kind: String

    init(_ name: String) {
        kind = name.hasSuffix("_total") ? "counter" : "gauge"
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }

    private func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    func write(_ series: Prometheus.Series, to text: inout String) {
        text += "\(series.line()) \(Double(bitPattern: bits.load(ordering: .relaxed)).metric)\n"
    }
}

/// A histogram with fixed buckets: Prometheus adds them up over servers and time.
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
            case .durations: (value / 1e9).metric
            case .sizes: value.metric
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

    /// Records a value several times.
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
            text += "\(series.line("_bucket", "le=\"\(scale.text(Double(bound)))\"")) \(total)\n"
        }
        total += counts[bounds.count].count.load(ordering: .relaxed)
        text += "\(series.line("_bucket", "le=\"+Inf\"")) \(total)\n"
        text += "\(series.line("_sum")) \(scale.text(Double(sum.load(ordering: .relaxed))))\n"
        text += "\(series.line("_count")) \(total)\n"
    }
}

extension Double {
    /// The number as Prometheus writes it: whole ones without a point.
    fileprivate var metric: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: self) { return "\(whole)" }
        return "\(self)"
    }
}
