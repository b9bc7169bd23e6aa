package import CoreMetrics
import Synchronization

/// A backend of swift-metrics that writes all metrics as Prometheus' text.
///
/// A label of swift-metrics is the name of the metric in Prometheus: counters end in `_total`, timers are histograms of
/// seconds. A metric has at most `maximumSeries` series. Series beyond that number are not written; a metric of its own
/// counts how often one of them was asked for.
package final class Prometheus: MetricsFactory {
    /// The most series of one metric.
    package static let maximumSeries = 5_000

    /// The name and the labels of one series, as in the text.
    struct Series: Hashable, Comparable, Sendable {
        var name: String
        var labels: String

        static func < (left: Series, right: Series) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
    }

    private struct Families: Sendable {
        var metrics: [Series: any PrometheusMetric] = [:]
        var seriesCounts: [String: Int] = [:]
        var droppedCount = 0
    }

    private let families = Mutex(Families())

    package init() {}

    /// Returns the metric of a series, which is made if it is new. A series beyond the limit works, but is not written.
    private func metric<M: PrometheusMetric>(
        _ name: String, dimensions: [(String, String)], _ make: () -> M
    ) -> M {
        let series = Series(name: Self.name(name), labels: Self.labels(dimensions))
        return families.withLock { families in
            if let known = families.metrics[series] as? M { return known }
            let made = make()
            guard families.metrics[series] == nil, families.seriesCounts[series.name, default: 0] < Self.maximumSeries
            else {
                families.droppedCount += 1
                return made
            }
            families.metrics[series] = made
            families.seriesCounts[series.name, default: 0] += 1
            return made
        }
    }

    // MARK: swift-metrics

    /// Makes a counter; its name gets `_total` if it lacks it.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(label.hasSuffix("_total") ? label : label + "_total", dimensions: dimensions) { PrometheusCounter() }
    }

    /// Makes a gauge: Prometheus has no meters.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(label, dimensions: dimensions) { PrometheusGauge(label) }
    }

    /// Makes a histogram of counts, or a gauge if nothing is aggregated.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return metric(label, dimensions: dimensions) { PrometheusHistogram(.sizes) } }
        return metric(label, dimensions: dimensions) { PrometheusGauge(label) }
    }

    /// Makes a histogram of seconds; its name gets `_seconds` if it lacks it.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(label.hasSuffix("_seconds") ? label : label + "_seconds", dimensions: dimensions) {
            PrometheusHistogram(.durations)
        }
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            guard let series = families.metrics.first(where: { $0.value === handler })?.key else { return }
            families.metrics[series] = nil
            families.seriesCounts[series.name, default: 1] -= 1
        }
    }

    // MARK: Text

    /// Returns all metrics in Prometheus' text format 0.0.4, sorted by name and labels.
    package func text() -> String {
        let (metrics, droppedCount) = families.withLock { ($0.metrics, $0.droppedCount) }
        var text = ""
        var lastName = ""
        for (series, metric) in metrics.sorted(by: { $0.key < $1.key }) {
            if series.name != lastName {
                lastName = series.name
                if let help = MetricName.help[series.name] { text += "# HELP \(series.name) \(help)\n" }
                text += "# TYPE \(series.name) \(metric.kind)\n"
            }
            metric.write(series, to: &text)
        }
        if droppedCount > 0 {
            let name = "carillon_metric_series_dropped_total"
            text += "# HELP \(name) \(MetricName.help[name] ?? "")\n# TYPE \(name) counter\n\(name) \(droppedCount)\n"
        }
        return text
    }

    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { "\(name($0))=\"\(escaped($1))\"" }.joined(separator: ",")
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n", "\r\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }
}
