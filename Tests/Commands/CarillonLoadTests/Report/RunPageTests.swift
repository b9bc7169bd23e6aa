import Foundation
import Testing

@testable import carillon_load

/// The page of a run, as HTML: what it shows.
struct RunPageTests {
    private static let full = RunPage.html(of: Runs.full())
    private static let empty = RunPage.html(of: Runs.empty())

    @Test func `a full run shows all that was measured`() {
        let html = Self.full
        let words = [
            "<h1>Friday &lt;evening&gt; &amp; &quot;raid&quot;</h1>", "Latency by percentile", "Throughput over time",
            "Latency over time", "Processor and memory", "OVERLOADED &lt;script&gt;", "send-topic → device",
            "zipf:0.99",
            "99.9 %", "open loop, 1,000 requests/s (poisson), 10 s after 2 s of warm-up", "Some processor",
        ]
        for word in words { #expect(html.contains(word), "\(word)") }
        // A panel for each operation and for the pushes of each send; each wide plot has a narrow form too.
        #expect(html.components(separatedBy: "<svg class=\"panel\"").count - 1 == 9)
        #expect(
            html.components(separatedBy: "<svg class=\"wide\"").count
                == html.components(separatedBy: "<svg class=\"narrow\"").count)
    }

    @Test func `an empty run shows its settings and no plots`() {
        let html = Self.empty
        #expect(!html.contains("Latency by percentile"))
        #expect(!html.contains("Failures"))
        #expect(html.contains("The run was interrupted"))
        #expect(html.contains("Settings and machine"))
    }

    @Test func `the line of the rate says that it is an average`() {
        #expect(Self.full.contains("due on average; at random times"))
        var even = Runs.full()
        even.settings.arrivals = .even
        #expect(!RunPage.html(of: even).contains("on average; at random"))
    }
}
