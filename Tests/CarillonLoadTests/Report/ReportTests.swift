import CarillonClient
import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The report of runs, as HTML, as the file that restores it, and in the terminal.
struct ReportTests {
    private static let pages: [(name: String, html: String)] = [
        ("full", RunPage.html(of: Runs.full())),
        ("closed", RunPage.html(of: Runs.full(rate: nil))),
        ("empty", RunPage.html(of: Runs.empty())),
        ("empty open", RunPage.html(of: Runs.empty(rate: 100))),
        ("compared", ComparePage.html(of: Comparison(before: Runs.full(), after: Runs.full(slowness: 3)))),
        ("compared with nothing", ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.full()))),
        ("nothing compared", ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.empty()))),
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
        let html = Self.pages[0].html
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
        let html = Self.pages[2].html
        #expect(!html.contains("Latency by percentile"))
        #expect(!html.contains("Failures"))
        #expect(html.contains("The run was interrupted"))
        #expect(html.contains("Settings and machine"))
    }

    @Test func theTerminalShowsTheFiguresOfThePage() {
        let text = Summary.text(of: Runs.full())
        for word in ["lookup", "send-token → device", "OVERLOADED", "answers/CPU-s", "p99.9", "one machine"] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(Summary.text(of: Runs.empty()).contains("lookup"))
    }

    // MARK: Warnings

    @Test func warningsNameTheReasons() throws {
        var result = Runs.full(rate: 2_000)
        result.machine.loadBefore = 3
        result.settings.fileSystem = "tmpfs"
        result.connectionsLost = 2
        result.build = .debug
        result.usage[2].cpuSeconds = 9.9
        result.lag.record(5_000_000, times: 1_000)
        result.operations[0].errors[LoadCounts.unanswered] = 500
        let notes = ResultNotes.all(on: result, wasInterrupted: true, hasOneClock: false, isLocal: true).joined(
            separator: "\n")
        let words = [
            "interrupted", "rate was not held", "500 requests were not answered", "ended 2 times", "--threads", "late",
            "had not arrived", "two machines", "on one machine", "not idle", "in memory",
            "The load tool is a debug build, the server may be one",
        ]
        for word in words { #expect(notes.contains(word), "\(word)") }
        #expect(ResultNotes.all(on: Runs.full(), wasInterrupted: false, hasOneClock: true, isLocal: false).count == 1)
    }

    /// The builds of the load tool and of the server, and what the report notes of them.
    struct Builds: CustomTestStringConvertible {
        let tool: Build
        var server: Build?
        var note: String?

        var testDescription: String { "\(tool) and \(server.map { "\($0)" } ?? "unknown")" }
    }

    @Test(
        arguments: [
            Builds(tool: .debug, server: .debug, note: "Server and load tool are debug builds"),
            Builds(tool: .release, server: .debug, note: "The server is a"),
            Builds(tool: .debug, server: .release, note: "The load tool is a debug build, the server is not"),
            Builds(tool: .release, server: .release),
            Builds(tool: .release),
        ])
    func aReportWarnsOfADebugBuild(_ builds: Builds) {
        var result = Runs.full()
        (result.build, result.serverBuild) = (builds.tool, builds.server)
        result.notes = ResultNotes.all(on: result, wasInterrupted: false, hasOneClock: true, isLocal: false)
        for text in [Summary.text(of: result), RunPage.html(of: result)] {
            #expect(text.contains("debug build") == (builds.note != nil))
            if let note = builds.note { #expect(text.contains(note)) }
        }
    }

    /// The number of requests that are due is random, and the rate is only their average.
    @Test func aRateIsHeldIfTheRequestsThatWereDueWereAnswered() {
        var result = Runs.full(rate: 1_200)
        #expect(result.isRateHeld)
        #expect(!result.notes.contains { $0.contains("not held") })
        result.operations[0].answered += 1_000
        #expect(!result.isRateHeld)
    }

    // MARK: Plots

    @Test func plotsShowValuesWhereTheReaderPoints() {
        let html = Self.pages[0].html
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

    @Test func eachOperationHasAMarkOfItsOwn() {
        let place = ChartPoint(10, 10)
        let line = LineChart.Line(name: "x", color: "c0", points: [])
        let shapes = LoadOperation.allCases.compactMap { $0.marker?.drawing(of: line, at: place) }
        #expect(Set(shapes).count == LoadOperation.allCases.count)
    }

    @Test func theLineOfTheRateSaysThatItIsAnAverage() {
        #expect(Self.pages[0].html.contains("due on average; at random times"))
        var even = Runs.full()
        even.settings.arrivals = .even
        #expect(!RunPage.html(of: even).contains("on average; at random"))
    }

    // MARK: Files

    @Test func aFileRestoresTheRun() throws {
        for result in [Runs.full(), Runs.empty()] {
            #expect(try RunFile.result(of: RunFile.data(of: result), named: "run.json") == result)
        }
    }

    @Test(arguments: [
        ("{}", "not a result"), ("[1]", "not a result"), (#"{"version":1}"#, "format 1"),
        (#"{"version":2}"#, "damaged"),
    ])
    func aFileThatIsNoRunIsRefused(json: String, word: String) {
        let failure = #expect(throws: LoadError.self) { try RunFile.result(of: Data(json.utf8), named: "x") }
        #expect(failure?.description.contains(word) == true)
    }

    @Test(arguments: [
        ("\"answered\":1666", "\"answered\":18446744073709551615"),
        ("\"interval_seconds\":0.25", "\"interval_seconds\":0"),
        ("\"interval_seconds\":0.25", "\"interval_seconds\":1e-300"),
        ("\"peak_resident_bytes\":83886080", "\"peak_resident_bytes\":18446744073709551615"),
        ("\"seconds\":10", "\"seconds\":1e300"),
        ("\"name\":\"register\"", "\"name\":\"lookup\""),
        ("\"name\":\"register\"", "\"name\":\"unregister\""),
        ("\"cpu_seconds\":5", "\"cpu_seconds\":-1e30"),
        ("\"build\":\"release\"", "\"build\":\"fast\""),
    ])
    func impossibleValuesAreRefused(good: String, bad: String) throws {
        let json = String(decoding: try RunFile.data(of: Runs.full()), as: UTF8.self)
        let damaged = json.replacingOccurrences(of: good, with: bad)
        #expect(damaged != json, "\(good)")
        #expect(throws: LoadError.self) { try RunFile.result(of: Data(damaged.utf8), named: "x") }
    }

    // MARK: Comparing

    @Test func aComparisonSaysHowManyTimesLargerAFigureIs() throws {
        let comparison = Comparison(before: Runs.full(), after: Runs.full(slowness: 3))
        let lookup = try #require(comparison.sections.first { $0.name == "lookup" })
        let p99 = try #require(lookup.rows.first { $0.name == "p99" })
        #expect(try abs(#require(p99.ratio) - 3) < 0.1)
        let failed = try #require(comparison.sections[0].rows.first { $0.name == "failed" })
        #expect(p99.isBetter == false)
        #expect(failed.ratio == 1)
        #expect(failed.isBetter == nil)
        #expect(comparison.differences.count == 0)
        #expect(comparison.text.contains("to the device, p50"))
        let back = Comparison(before: Runs.full(slowness: 3), after: Runs.full())
        #expect(back.sections[1].rows.allSatisfy { $0.isBetter == true })
    }

    @Test func differentSettingsAreListed() {
        var after = Runs.full()
        after.settings.seed = 2
        after.settings.rate = nil
        // The run before does not have this setting.
        after.settings.serverFlags = ["--threads=1"]
        let names = Comparison(before: Runs.full(), after: after).differences.map(\.name)
        #expect(names == ["Loop", "Seed", "Flags of the server"])
        let halves = Comparison(before: Runs.empty(), after: Runs.full())
        #expect(halves.sections.first { $0.name == "register" }?.rows.allSatisfy { $0.ratio == nil } == true)
    }
}
