import CarillonCommandLine
import Foundation

/// The report of one run, as a page of HTML.
struct RunPage {
    private let result: RunResult
    private let latency: LatencyHistogram
    private let pushes: LatencyHistogram?

    static func html(of result: RunResult) -> String {
        let page = RunPage(result: result, latency: result.latency, pushes: result.latencyToDevice)
        let title = result.settings.title
        return ReportPage.html(
            title: title.isEmpty ? "Load test" : title,
            body: [
                page.header, page.tiles, ReportPage.notes(result.notes), page.percentiles, page.throughput,
                page.latencyOverTime, page.resources, page.operations, page.errors, page.settings, page.footer,
            ])
    }

    private var isOpen: Bool { result.settings.rate != nil }

    private var header: String {
        let title = result.settings.title.isEmpty ? "Load test" : result.settings.title
        return "<header><h1>\(title.escaped)</h1><p>\(result.startedAt.escaped) · "
            + "\(Summary.describe(result.settings, seconds: result.seconds).escaped) · "
            + "\(Summary.describeServer(result.settings).escaped)</p></header>"
    }

    // MARK: Tiles

    private var tiles: String {
        let failed = Double(result.failed) / max(Double(result.failed + result.answered), 1)
        var tiles = [
            ReportPage.tile(
                "Answered", value: "\(result.throughput.short) /s",
                detail: isOpen ? "of \(result.duePerSecond.short) /s that were due" : "as fast as answers came",
                isBad: isOpen && !result.isRateHeld),
            ReportPage.tile("Median latency", value: time(50, of: latency), detail: "half of all requests"),
            ReportPage.tile("p99 latency", value: time(99, of: latency), detail: "one in 100 took longer"),
            ReportPage.tile(
                "p99.9 latency", value: time(99.9, of: latency), detail: "slowest: \(time(100, of: latency))"),
            ReportPage.tile(
                "Failed", value: UnitFormat.percent(failed),
                detail: "\(result.failed.grouped) of \((result.failed + result.answered).grouped)",
                isBad: result.failed > 0),
        ]
        if let pushes, pushes.count > 0 {
            tiles.append(
                ReportPage.tile(
                    "Request to device, p99", value: time(99, of: pushes),
                    detail: "median \(time(50, of: pushes)); \(pushes.count.grouped) pushes"))
        }
        if let server = result.usage(of: RunResult.ProcessUsage.server) {
            let answers = server.answersPerCPUSecond?.short ?? "–"
            tiles.append(
                ReportPage.tile(
                    "Server", value: String(format: "%.2f cores", server.cores),
                    detail: "\(answers) answers per CPU-second; "
                        + "at most \(UnitFormat.bytes(server.peakResidentBytes))"))
        }
        return "<div class=\"tiles\">\(tiles.joined())</div>"
    }

    private func time(_ percent: Double, of histogram: LatencyHistogram) -> String {
        histogram.count > 0 ? UnitFormat.time(histogram.percentile(percent)) : "–"
    }

    // MARK: Latency

    private static let latencyLead = (
        open: "From the moment a request was due to its answer, so waiting behind a stalled server is part of it. "
            + "The axis gives each further nine the same room.",
        closed: "From writing a request to its answer. In a closed loop callers wait for the server, so a stall delays "
            + "few requests. The axis gives each further nine the same room."
    )

    private var percentiles: String {
        let curves = Self.percentileCurves(of: result)
        guard !curves.isEmpty else { return "" }
        let chart = Self.percentileChart(curves)
        return ReportPage.section(
            "Latency by percentile", lead: isOpen ? Self.latencyLead.open : Self.latencyLead.closed, [chart.figure()])
    }

    /// A curve of percentiles.
    struct Curve {
        var name: String
        var color: String
        var style: LineChart.Line.Style
        var marker: ChartMarker?
        var histogram: LatencyHistogram
    }

    /// Returns the curves of each operation: its answers, and dashed its pushes to the device.
    static func percentileCurves(of result: RunResult) -> [Curve] {
        result.operations.flatMap { operation -> [Curve] in
            let name = operation.operation.name
            let color = operation.operation.color
            let marker = operation.operation.marker
            var curves = [
                Curve(name: name, color: color, style: .solid, marker: marker, histogram: operation.latency)
            ]
            if let pushes = operation.toDevice {
                curves.append(
                    Curve(
                        name: "\(name) → device", color: color, style: .dashed, marker: marker,
                        histogram: pushes.latency))
            }
            return curves.filter { $0.histogram.count > 0 }
        }
    }

    /// Draws the latency of each curve by percentile.
    ///
    /// - Parameter curves: at least one curve.
    static func percentileChart(_ curves: [Curve]) -> LineChart {
        let x = Scale.percentiles(of: curves.map(\.histogram.count).max() ?? 1)
        let lines = curves.map { curve in
            // A percentile needs enough requests, else it is only the maximum: there the line ends.
            let percentages = x.percentages.filter { (1 - $0 / 100) * Double(curve.histogram.count) >= 0.999 }
            let values = curve.histogram.percentiles(percentages)
            return LineChart.Line(
                name: curve.name, color: curve.color, style: curve.style, marker: curve.marker,
                points: zip(percentages, values).map { ChartPoint($0, Double($1)) })
        }
        let values = lines.flatMap(\.points).compactMap { $0?.y }
        return LineChart(
            description: "Latency by percentile, a line for each operation",
            x: x, y: .nanoseconds(from: values.min() ?? 0, to: values.max() ?? 0),
            xTitle: "percentile of requests", yTitle: "latency",
            xText: { "\(String(format: "%.5g", $0)) % of the requests" }, yText: UnitFormat.time, lines: lines)
    }

    private var latencyOverTime: String {
        var panels: [(name: String, color: String, series: LatencySeries)] = []
        for operation in result.operations {
            panels.append((operation.operation.name, operation.operation.color, operation.latencyOverTime))
            if let pushes = operation.toDevice {
                let name = "\(operation.operation.name) → device"
                panels.append((name, operation.operation.color, pushes.latencyOverTime))
            }
        }
        panels.removeAll { $0.series.intervals.allSatisfy { $0.count == 0 } }
        let points = panels.flatMap(\.series.intervals).filter { $0.count > 0 }
        guard !points.isEmpty else { return "" }
        let y = Scale.nanoseconds(
            from: Double(points.map(\.p50).min() ?? 0), to: Double(points.map(\.max).max() ?? 0))
        let charts = panels.map { name, color, series in
            let length = UnitFormat.seconds(min(series.intervalSeconds, result.seconds))
            return "<div><h3>\(name.escaped), intervals of \(length)</h3>"
                + panel(name, color: color, series: series, y: y) + "</div>"
        }
        let lead = isOpen ? "By when a request was due" : "By when a request was written"
        return ReportPage.section(
            "Latency over time",
            lead: "\(lead); all on the same scale. An interval has at least "
                + "\(LatencySeries.requestsOfInterval) requests on average, unless the whole run had fewer.",
            ["<div class=\"panels\">\(charts.joined())</div>"])
    }

    private func panel(_ name: String, color: String, series: LatencySeries, y: Scale) -> String {
        func line(_ name: String, style: LineChart.Line.Style, _ value: (LatencySeries.Percentiles) -> UInt64)
            -> LineChart.Line
        {
            // A step for each interval, with the values of all its requests.
            let steps = series.intervals.enumerated().filter { $1.count > 0 }.flatMap { index, interval in
                let start = min(Double(index) * series.intervalSeconds, result.seconds)
                let end = min(start + series.intervalSeconds, result.seconds)
                return [ChartPoint(start, Double(value(interval))), ChartPoint(end, Double(value(interval)))]
            }
            return LineChart.Line(
                name: name, color: style == .faint ? "quiet" : color, style: style, points: steps)
        }
        return LineChart(
            description: "Latency of \(name) over time", x: .seconds(to: result.seconds), y: y, xTitle: "time",
            yTitle: "latency", xText: UnitFormat.seconds, yText: UnitFormat.time,
            lines: [
                line("max", style: .faint, \.max), line("p99", style: .dashed, \.p99),
                line("p50", style: .solid, \.p50),
            ]
        ).panel()
    }

    /// Returns the middle of an interval, in seconds.
    private func middle(of interval: Int) -> Double {
        min((Double(interval) + 0.5) * result.intervalSeconds, result.seconds)
    }

    // MARK: Throughput and resources

    private var throughput: String {
        let pieces = result.operations.map(\.answeredOverTime.count).max() ?? 0
        guard pieces > 0 else { return "" }
        func rate(_ counts: (RunResult.Operation) -> [UInt64]) -> [ChartPoint?] {
            (0..<pieces).map { index in
                let sum = result.operations.reduce(0) { $0 + (counts($1).dropFirst(index).first ?? 0) }
                // The last interval may be shorter than the others.
                let length = min(result.intervalSeconds, result.seconds - Double(index) * result.intervalSeconds)
                guard length > 0.2 * result.intervalSeconds else { return nil }
                return ChartPoint(middle(of: index), Double(sum) / length)
            }
        }
        var lines = [LineChart.Line(name: "answered", color: "c0", isFilled: true, points: rate(\.answeredOverTime))]
        if let rate = result.settings.rate {
            let points = [ChartPoint(0, rate), ChartPoint(result.seconds, rate)]
            let name = result.settings.arrivals == .even ? "due" : "due on average; at random times"
            lines.append(LineChart.Line(name: name, color: "quiet", style: .dashed, points: points))
        }
        if result.operations.contains(where: { $0.failedOverTime.contains { $0 > 0 } }) {
            lines.append(LineChart.Line(name: "failed", color: "bad", points: rate(\.failedOverTime)))
        }
        let highest = lines.flatMap(\.points).compactMap { $0?.y }.max() ?? 0
        let chart = LineChart(
            description: "Answers a second over time", x: .seconds(to: result.seconds),
            y: .linear(to: highest) { $0.tick }, xTitle: "time", yTitle: "requests per second",
            xText: UnitFormat.seconds, yText: { "\($0.short) /s" }, lines: lines)
        return ReportPage.section(
            "Throughput over time", lead: "By when the answer came.",
            [chart.figure(wide: (1_120, 280), narrow: (360, 240))])
    }

    private var resources: String {
        let usage = result.usage.filter { !$0.samples.isEmpty }
        guard !usage.isEmpty else { return "" }
        let colors = [RunResult.ProcessUsage.server: "c0", RunResult.ProcessUsage.simulator: "c6"]
        func chart(_ title: String, y: Scale, _ value: (RunResult.Sample) -> Double) -> String {
            let lines = usage.map { usage in
                LineChart.Line(
                    name: usage.name, color: colors[usage.name] ?? "c1",
                    points: usage.samples.map { ChartPoint($0.seconds, value($0)) })
            }
            return LineChart(
                description: "\(title) over time", x: .seconds(to: result.seconds), y: y, xTitle: "time", yTitle: title,
                xText: UnitFormat.seconds, yText: \.short, lines: lines
            ).figure(wide: (560, 240), narrow: (360, 230))
        }
        let samples = usage.flatMap(\.samples)
        let cores = Scale.linear(to: samples.map(\.cores).max() ?? 0) { $0.tick }
        let mebibytes = { (sample: RunResult.Sample) in Double(sample.residentBytes) / 1_048_576 }
        let memory = Scale.linear(to: samples.map(mebibytes).max() ?? 0) { $0.tick }
        let rows = result.usage.map { usage in
            [
                usage.name.escaped, "\(usage.cpuSeconds.short) s", usage.cores.short,
                usage.answersPerCPUSecond?.short ?? "–", UnitFormat.bytes(usage.peakResidentBytes),
            ]
        }
        return ReportPage.section(
            "Processor and memory", lead: "Of the processes on the load tool's machine.",
            [
                "<div class=\"pair\"><div>\(chart("cores busy", y: cores, \.cores))</div>"
                    + "<div>\(chart("memory, MiB", y: memory, mebibytes))</div></div>",
                ReportPage.table(["Process", "CPU time", "Cores", "Answers/CPU-s", "Memory"], rows: rows),
            ])
    }

    // MARK: Tables

    private var operations: String {
        var rows = result.operations.map { operation in
            [
                operation.operation.name, operation.answered.grouped, operation.answeredPerSecond.short,
                Self.failures(operation.failed),
            ] + operation.latency.columns
        }
        if result.operations.count > 1 {
            rows.append(
                ["all", result.answered.grouped, result.throughput.short, Self.failures(result.failed)]
                    + latency.columns
            )
        }
        for operation in result.operations {
            guard let pushes = operation.toDevice else { continue }
            rows.append(
                [
                    "\(operation.operation.name) → device", pushes.arrived.grouped, pushes.arrivedPerSecond.short,
                    Self.failures(pushes.missing),
                ] + pushes.latency.columns)
        }
        let head = ["Operation", "Answered", "Per second", "Failed", "Mean", "p50", "p90", "p99", "p99.9", "Max"]
        let lead =
            pushes == nil
            ? ""
            : "Rows with an arrow: pushes from when their request was due to their arrival at the APNs simulator."
        return ReportPage.section("Operations", lead: lead, [ReportPage.table(head, rows: rows)])
    }

    private static func failures(_ count: UInt64) -> String {
        count == 0 ? "0" : "<span class=\"worse\">\(count.grouped)</span>"
    }

    private var errors: String {
        let rows = result.operations.flatMap { operation in
            operation.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count in
                let share = Double(count) / max(Double(operation.answered + operation.failed), 1)
                return [operation.operation.name, name.escaped, count.grouped, UnitFormat.percent(share)]
            }
        }
        guard !rows.isEmpty else { return "" }
        return ReportPage.section(
            "Failures", lead: "By the name of the error. Refusals are not in the latencies; UNANSWERED requests are.",
            [ReportPage.table(["Operation", "Name", "Requests", "Share"], rows: rows)])
    }

    private var settings: String {
        ReportPage.section(
            "Settings and machine", lead: "", [ReportPage.list(Self.settings(of: result) + measurements)])
    }

    /// Returns the settings of a run and its machine, as texts for the reader.
    static func settings(of result: RunResult) -> [(name: String, value: String)] {
        let settings = result.settings
        let shares = settings.mix.map { "\($0.operation.name)=\($0.weight)" }.joined(separator: ", ")
        var rows = [
            ("Loop", settings.rate.map { "open, \($0.short) /s, \(settings.arrivals.rawValue)" } ?? "closed"),
            ("Operations and shares", shares),
            ("Connections × in flight at most", "\(settings.connections) × \(settings.maximumInFlight)"),
            ("Keys", settings.keyDistribution),
            ("Devices", settings.devices.grouped),
            ("Group size, topics", "\(settings.groupSize.grouped), \(settings.topics.grouped)"),
            ("Payload", "\(settings.payloadBytes) B"),
            (
                "Warm-up, duration",
                "\(UnitFormat.seconds(settings.warmUpSeconds)), \(UnitFormat.seconds(result.seconds))"
            ),
            ("Seed", "\(settings.seed)"),
            ("Threads of the load tool", "\(settings.threads)"),
            ("Build of the load tool, of the server", "\(result.build), \(result.serverBuild?.rawValue ?? "unknown")"),
            (
                "Server",
                settings.isOwnServer
                    ? "\(settings.serverSoftware), its own" : "\(settings.server), \(settings.serverSoftware)"
            ),
        ]
        if !settings.serverFlags.isEmpty {
            rows.append(("Flags of the server", settings.serverFlags.joined(separator: " ")))
        }
        if let data = settings.data {
            rows.append(("Database of the server in", "\(data), \(settings.fileSystem ?? "unknown")"))
        }
        let machine = result.machine
        return rows + [
            ("Processor", machine.processor), ("Cores", "\(machine.cores)"),
            ("Memory", UnitFormat.bytes(machine.memoryBytes)),
            ("Kernel", machine.kernel),
        ]
    }

    /// The values of the run that are measured, not set. Two runs always differ in them.
    private var measurements: [(name: String, value: String)] {
        [
            ("Load before the run", result.machine.loadBefore.short),
            (
                "Requests written late by the load tool, p99",
                result.writeDelay.count > 0 ? UnitFormat.time(result.writeDelay.percentile(99)) : "–"
            ),
        ]
    }

    private var footer: String {
        "<footer>Made by carillon-load. Percentiles are precise to three digits for the whole run, to two digits over "
            + "time. "
            + "Requests due during the warm-up are not measured. Results of one machine and one hour do not apply to "
            + "another: compare runs that were made side by side.</footer>"
    }
}

extension LoadOperation {
    var color: String { "c\(rawValue)" }
}

extension Double {
    /// The number as the label of a tick; it is a round number.
    var tick: String { self >= 1_000 ? short : String(Float(self)).hasSuffix(".0") ? "\(Int(self))" : "\(Float(self))" }
}
