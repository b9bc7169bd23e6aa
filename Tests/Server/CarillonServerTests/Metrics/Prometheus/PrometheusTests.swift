import CoreMetrics
import Testing

@testable import CarillonServer

/// The text of the metrics, in the format that Prometheus reads: names, labels, and the bound of their number.
struct PrometheusTests {
    private let prometheus = Prometheus()

    @Test func `a counter, a gauge and a histogram are written as Prometheus reads them`() {
        Counter(label: "carillon_reloads_total", dimensions: [("result", "ok")], factory: prometheus).increment(by: 3)
        Counter(label: "carillon_reloads_total", dimensions: [("result", "ok")], factory: prometheus).increment()
        Gauge(label: "carillon_queue_changes", factory: prometheus).record(2.5)
        let timer = Timer(label: "carillon_batch_seconds", factory: prometheus)
        timer.recordMilliseconds(2)
        timer.recordMilliseconds(70_000)
        let lines = prometheus.text().split(separator: "\n").map(String.init)
        let expected = [
            "# TYPE carillon_reloads_total counter",
            "# HELP carillon_reloads_total SIGHUPs by result: ok or refused.",
            #"carillon_reloads_total{result="ok"} 4"#,
            "carillon_queue_changes 2.5",
            #"carillon_batch_seconds_bucket{le="0.001"} 0"#,
            #"carillon_batch_seconds_bucket{le="0.002"} 1"#,
            #"carillon_batch_seconds_bucket{le="60"} 1"#,
            #"carillon_batch_seconds_bucket{le="+Inf"} 2"#,
            "carillon_batch_seconds_sum 70.002",
            "carillon_batch_seconds_count 2",
        ]
        #expect(expected.filter { !lines.contains($0) } == [])
    }

    @Test func `names get their units and labels are escaped`() {
        Counter(label: "things.done", dimensions: [("who", "a\"b\\c\nd")], factory: prometheus).increment()
        Timer(label: "work", factory: prometheus).recordSeconds(1)
        let text = prometheus.text()
        #expect(text.contains("things_done_total{who=\"a\\\"b\\\\c\\nd\"} 1\n"))
        #expect(text.contains("work_seconds_count 1\n"))
    }

    @Test func `a family has a bounded number of series`() {
        for number in 0..<(Prometheus.maximumSeries + 50) {
            Counter(label: "c_total", dimensions: [("n", "\(number)")], factory: prometheus).increment()
        }
        let text = prometheus.text()
        #expect(text.split(separator: "\n").count { $0.hasPrefix("c_total{") } == Prometheus.maximumSeries)
        #expect(text.contains("carillon_metric_series_dropped_total 50\n"))
    }

    @Test func `a destroyed counter is not written`() {
        let counter = Counter(label: "c_total", factory: prometheus)
        counter.increment()
        counter.destroy()
        #expect(!prometheus.text().contains("c_total"))
    }
}
