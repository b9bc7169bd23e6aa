import CarillonClient
import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The page of a run and that of a comparison, as HTML: what they show, and that a browser can read them.
struct RunPageTests {
    private static let full = RunPage.html(of: Runs.full())
    private static let empty = RunPage.html(of: Runs.empty())
    /// Pages of runs of all kinds, by their names.
    private static let pages = [
        "full": full, "empty": empty,
        "closed": RunPage.html(of: Runs.full(rate: nil)),
        "empty open": RunPage.html(of: Runs.empty(rate: 100)),
        "compared": ComparePage.html(of: Comparison(before: Runs.full(), after: Runs.full(slowness: 3))),
        "compared with nothing": ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.full())),
        "nothing compared": ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.empty())),
    ]

    /// Returns the elements that are open at the end, and those that were closed out of turn.
    private func faults(in html: String) -> [String] {
        var open: [String] = []
        var faults: [String] = []
        for piece in html.split(separator: "<").dropFirst() {
            let tag = piece.prefix { $0 != ">" }
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            if tag.hasPrefix("!") || name == "meta" || tag.hasSuffix("/") { continue }
            if !tag.hasPrefix("/") {
                open.append(String(name))
            } else if open.popLast() != String(name) {
                faults.append(String(tag))
            }
        }
        return open + faults
    }

    @Test func everyPageIsWellFormedAndLoadsNoOtherFile() {
        for (name, html) in Self.pages {
            #expect(faults(in: html) == [], "\(name)")
            for foreign in ["http:", "https:", "src=", "@import", "url(", "<script"] {
                #expect(!html.contains(foreign), "\(name): \(foreign)")
            }
            for strange in ["nan", "inf ", "-inf", "Optional("] {
                #expect(!html.contains(strange), "\(name): \(strange)")
            }
        }
    }

    @Test func aFullRunShowsAllThatWasMeasured() {
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

    @Test func anEmptyRunShowsItsSettingsAndNoPlots() {
        let html = Self.empty
        #expect(!html.contains("Latency by percentile"))
        #expect(!html.contains("Failures"))
        #expect(html.contains("The run was interrupted"))
        #expect(html.contains("Settings and machine"))
    }

    @Test func plotsShowValuesWhereTheReaderPoints() {
        let html = Self.full
        #expect(!html.contains("<title>lookup → device</title>"))
        #expect(html.contains("<title>send-topic → device</title>"))
        #expect(html.contains("% of the requests\nlookup: "))
        #expect(html.contains("answered: "))
        // A phone has no pointer.
        let narrow = html.components(separatedBy: "<svg class=\"narrow\"").dropFirst().compactMap {
            $0.components(separatedBy: "</svg>").first
        }
        #expect(narrow.allSatisfy { !$0.contains("class=\"place\"") })
    }

    @Test func theLineOfTheRateSaysThatItIsAnAverage() {
        #expect(Self.full.contains("due on average; at random times"))
        var even = Runs.full()
        even.settings.arrivals = .even
        #expect(!RunPage.html(of: even).contains("on average; at random"))
    }

    @Test func eachOperationHasAMarkOfItsOwn() {
        let place = ChartPoint(10, 10)
        let line = LineChart.Line(name: "x", color: "c0", points: [])
        let shapes = LoadOperation.allCases.compactMap { $0.marker?.drawing(of: line, at: place) }
        #expect(Set(shapes).count == LoadOperation.allCases.count)
    }
}
