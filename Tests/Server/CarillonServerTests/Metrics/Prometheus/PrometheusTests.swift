import CarillonCore
import CarillonTestKit
import CarillonWire
import CoreMetrics
import Foundation
import Testing

@testable import CarillonServer

/// The text of the metrics, in the format that Prometheus reads: names, labels, and the bound of their number.
struct PrometheusTests {
    private let prometheus = Prometheus()

    @Test func aCounterAGaugeAndAHistogramAreWrittenAsPrometheusReadsThem() {
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

    @Test func namesGetTheirUnitsAndLabelsAreEscaped() {
        Counter(label: "things.done", dimensions: [("who", "a\"b\\c\nd")], factory: prometheus).increment()
        Timer(label: "work", factory: prometheus).recordSeconds(1)
        let text = prometheus.text()
        #expect(text.contains("things_done_total{who=\"a\\\"b\\\\c\\nd\"} 1\n"))
        #expect(text.contains("work_seconds_count 1\n"))
    }

    @Test func aFamilyHasABoundedNumberOfSeries() {
        for number in 0..<(Prometheus.maximumSeries + 50) {
            Counter(label: "c_total", dimensions: [("n", "\(number)")], factory: prometheus).increment()
        }
        let text = prometheus.text()
        #expect(text.split(separator: "\n").count { $0.hasPrefix("c_total{") } == Prometheus.maximumSeries)
        #expect(text.contains("carillon_metric_series_dropped_total 50\n"))
    }

    @Test func aDestroyedCounterIsNotWritten() {
        let counter = Counter(label: "c_total", factory: prometheus)
        counter.increment()
        counter.destroy()
        #expect(!prometheus.text().contains("c_total"))
    }

    @Test func everyMetricOfThePageHasAMeaningForScrapes() throws {
        let page = Repository.file("Sources/Documentation/Metrics.md")
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| `(carillon_\w+)` \|/)
        let explained = MetricName.help.keys.filter { $0.hasPrefix("carillon_") }
        #expect(Set(rows.map { String($0.1) }) == Set(explained))
    }

    /// The labels that are literals of the code; those of pools begin with the name of a provider.
    @Test func everyMetricThatTheCodeMakesHasAMeaning() throws {
        let root = Repository.file("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
        for file in files where file.hasSuffix(".swift") {
            let code = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for label in code.matches(of: /label: "(carillon_\w+)"/) {
                #expect(MetricName.help[String(label.1)] != nil, "\(label.1) in \(file)")
            }
        }
    }

    @Test(arguments: MetricName.help.keys.sorted()) func everyMetricIsExplainedOnItsPage(_ name: String) throws {
        let page = Repository.file("Sources/Documentation/Metrics.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let meaning = try #require(MetricName.help[name])
        #expect(text.contains("| `\(name)` | \(meaning) |"))
    }

    @Test(arguments: Opcode.served) func everyRequestHasANameInTheMetrics(_ opcode: Opcode) {
        #expect(!opcode.name.hasPrefix("opcode-"))
    }
}
