import CoreMetrics
import Synchronization

/// A metric that can be written as text. Changing it takes no lock.
protocol PrometheusMetric: AnyObject, Sendable {
    /// The type in the TYPE line.
    var kind: String { get }
    /// Appends the lines of the series.
    func write(_ series: Prometheus.Series, to text: inout String)
}

extension Prometheus.Series {
    /// Returns `name{labels}`, with a suffix of the name and one more label, which may be empty.
    func line(_ suffix: String = "", label additional: String = "") -> String {
        let all = [labels, additional].filter { !$0.isEmpty }.joined(separator: ",")
        return name + suffix + (all.isEmpty ? "" : "{\(all)}")
    }
}

extension Double {
    /// The number as Prometheus writes it: a whole number without a point.
    var prometheusText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: self) { return "\(whole)" }
        return "\(self)"
    }
}

/// A counter, written as Prometheus' text.
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

/// A value that is set. It is a gauge of Prometheus, or a counter if its name ends in `_total`: ``MetricsSampler`` sets
/// the counters that other parts keep.
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
        text += "\(series.line()) \(Double(bitPattern: bits.load(ordering: .relaxed)).prometheusText)\n"
    }
}
