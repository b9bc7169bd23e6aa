import CoreMetrics
import Synchronization

/// A value that is set. It is a gauge of Prometheus, or a counter if its name ends in `_total`: ``MetricsSampler`` sets
/// the counters that other parts keep.
final class PrometheusGauge: PrometheusMetric, RecorderHandler, MeterHandler {
    private let bits = Atomic<UInt64>(0)

    /// The type of the metric in Prometheus' text.
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
