import CoreMetrics
import Synchronization

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
