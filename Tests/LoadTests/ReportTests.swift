import CarillonClient
import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// Pages, files and tables of runs.
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

    /// The elements that are open at the end, and those that were closed out of turn.
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

    @Test func everyPageIsWellFormedAndNeedsNothingElse() {
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

    @Test func anEmptyRunShowsNoPlotsButWhatIsKnown() {
        let html = Self.pages[2].html
        #expect(!html.contains("Latency by percentile") && !html.contains("Failures"))
        #expect(html.contains("The run was interrupted") && html.contains("Settings and machine"))
    }

    @Test func theTerminalShowsTheSame() {
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

    @Test(
        arguments: [
            (.debug, .debug, "Server and load tool are debug builds"), (.release, .debug, "The server is a"),
            (.debug, .release, "The load tool is a debug build, the server is not"), (.release, .release, nil),
            (.release, nil, nil),
        ] as [(Build, Build?, String?)])
    func aDebugBuildIsTold(tool: Build, server: Build?, words: String?) {
        var result = Runs.full()
        (result.build, result.serverBuild) = (tool, server)
        result.notes = ResultNotes.all(on: result, wasInterrupted: false, hasOneClock: true, isLocal: false)
        for text in [Summary.text(of: result), RunPage.html(of: result)] {
            #expect(text.contains("debug build") == (words != nil))
            if let words { #expect(text.contains(words)) }
        }
    }

    /// At random, so many requests are due as chance wants; the rate is only their average.
    @Test func aRateIsHeldIfWhatWasDueWasAnswered() {
        var result = Runs.full(rate: 1_200)
        #expect(result.isRateHeld && !result.notes.contains { $0.contains("not held") })
        result.operations[0].answered += 1_000
        #expect(!result.isRateHeld)
    }

    // MARK: Plots

    @Test func plotsShowValuesWhereTheReaderPoints() {
        let html = Self.pages[0].html
        #expect(html.contains("<title>lookup → device</title>") == false)
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
        let place = (x: 10.0, y: 10.0)
        let line = LineChart.Line(name: "x", colour: "c0", points: [])
        let shapes = LoadOperation.allCases.compactMap { $0.marker?.drawing(of: line, place) }
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
    func otherFilesAreRefused(json: String, word: String) {
        let failure = #expect(throws: LoadFailure.self) { try RunFile.result(of: Data(json.utf8), named: "x") }
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
        #expect(throws: LoadFailure.self) { try RunFile.result(of: Data(damaged.utf8), named: "x") }
    }

    // MARK: Comparing

    @Test func aComparisonSaysHowManyTimes() throws {
        let comparison = Comparison(before: Runs.full(), after: Runs.full(slowness: 3))
        let lookup = try #require(comparison.sections.first { $0.name == "lookup" })
        let p99 = try #require(lookup.rows.first { $0.name == "p99" })
        #expect(try abs(#require(p99.ratio) - 3) < 0.1)
        #expect(p99.isBetter == false)
        let failed = try #require(comparison.sections[0].rows.first { $0.name == "failed" })
        #expect((failed.ratio, failed.isBetter) == (1, nil))
        #expect(comparison.differences.isEmpty)
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

/// Numbers, axes and what the system tells.
struct WordTests {
    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (843_210, "843 µs"), (999_600, "1.00 ms"),
            (1_270_000, "1.27 ms"),
            (45_600_000, "45.6 ms"), (999_600_000, "1.00 s"), (61_000_000_000, "61.0 s"),
        ] as [(UInt64, String)])
    func timesHaveThreeDigits(nanoseconds: UInt64, text: String) {
        #expect(UnitFormat.time(nanoseconds) == text)
    }

    @Test(arguments: [
        (0, "0.00"), (0.0234, "0.023"), (1.5, "1.50"), (12.34, "12.3"), (999.4, "999"), (999.6, "1,000"),
        (1_234_567, "1,234,567"),
        (-1_234, "-1,234"), (Double.nan, "–"), (1e300, "9,000,000,000,000,000,000"),
    ])
    func numbersAreShort(number: Double, text: String) {
        #expect(number.short == text)
    }

    @Test func axesHaveRoundTicks() {
        #expect(Scale.linear(to: 1_190) { $0.tick }.ticks.map(\.label) == ["0", "500", "1,000", "1,500"])
        #expect(Scale.linear(to: 0) { $0.tick }.ticks.count >= 2)
        #expect(Scale.seconds(to: 10).ticks.map(\.label) == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])
        #expect(Scale.seconds(to: 3_600).ticks.last?.label == "60 min")
        #expect(Scale.times(from: 130_000, to: 900_000).ticks.map(\.label) == ["100 µs", "200 µs", "500 µs", "1 ms"])
        #expect(Scale.times(from: 0, to: 0).ticks.map(\.label) == ["100 ns", "200 ns", "500 ns", "1 µs"])
        #expect(Scale.times(from: 100_000, to: 3e9).ticks.map(\.label) == ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"])
        let percentiles = Scale.percentiles(of: 50_000)
        #expect(percentiles.ticks.map(\.label) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
        #expect(
            abs(percentiles.position(99) - 2 / 5) < 1e-9 && percentiles.position(100) == 1
                && percentiles.position(0) == 0)
    }

    @Test func aProcessIsSeen() throws {
        let before = try #require(ProcessUsage(process: getpid()))
        #expect(before.residentBytes > 1_000_000)
        var sum: UInt64 = 0
        while try #require(ProcessUsage(process: getpid())).cpuSeconds < before.cpuSeconds + 0.05 { sum &+= 1 }
        #expect(ProcessUsage(process: -1) == nil)
    }

    @Test func aListenerIsFoundInTheTableOfSockets() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1D32 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0 100 0 0 10 0
               1: 0100007F:1D32 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0 20 4 0 10 -1
               2: broken
            """
        #expect(ProcessUsage.inodes(listeningOn: 7474, in: table) == ["socket:[4711]"])
        #expect(ProcessUsage.inodes(listeningOn: 80, in: table) == [])
    }

    @Test(arguments: [
        ("/var/tmp/x", "ext4"), ("/tmp", "tmpfs"), ("/tmp/a/b", "tmpfs"), ("/tmpfiles", "ext4"), ("/mnt/data/x", "xfs"),
    ])
    func theNearestMountIsTheFileSystem(path: String, kind: String) {
        let table = """
            22 1 252:1 / / rw,relatime - ext4 /dev/vda1 rw
            30 22 0:26 / /tmp rw,nosuid shared:5 - tmpfs tmpfs rw
            31 22 0:27 / /mnt/data rw - ext4 /dev/vdb rw
            32 22 0:28 / /mnt/data rw - xfs /dev/vdc rw
            broken -
            """
        #expect(FileSystem.kind(of: path, in: table) == kind)
    }

    @Test(arguments: [
        ("127.0.0.1:7474", true, "127.0.0.1:7474"), ("push.internal:7474", false, "push.internal:7474"),
        ("[::1]:80", true, "[::1]:80"),
        ("unix:/run/c.sock", true, "unix:/run/c.sock"),
    ])
    func anAddressIsParsed(text: String, isLocal: Bool, description: String) throws {
        let argument = try #require(AddressArgument(argument: text))
        #expect((argument.isLocal, argument.address.description) == (isLocal, description))
    }

    @Test(arguments: ["", "host", "host:0", "host:70000", ":80", "unix:", "::1:80"])
    func anInvalidAddressIsRefused(text: String) {
        #expect(AddressArgument(argument: text) == nil)
    }

    @Test(
        arguments: [("500ms", 500), ("10", 10_000), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000)]
            as [(String, UInt64)])
    func aDurationIsParsed(text: String, milliseconds: UInt64) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
        #expect(["", "s", "-1s", "1x", "9999999h"].allSatisfy { TimeSpan(argument: $0) == nil })
    }
}
