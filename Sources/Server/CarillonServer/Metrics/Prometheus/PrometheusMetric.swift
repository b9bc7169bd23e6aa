/// A metric that can be written as text; changing it costs an atomic addition.
protocol PrometheusMetric: AnyObject, Sendable {
    /// The type in the TYPE line.
    var kind: String { get }
    /// Appends the lines of the series.
    func write(_ series: Prometheus.Series, to text: inout String)
}

extension Prometheus.Series {
    /// Returns `name{labels}`, with a suffix and one more label if they are given.
    func line(_ suffix: String = "", label more: String = "") -> String {
        let all = [labels, more].filter { !$0.isEmpty }.joined(separator: ",")
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
