import ArgumentParser
import CarillonCommandLine
import Foundation

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Finds the highest rate that holds a limit.",
        discussion: """
            Examples:
              carillon-load search --own --limit 'lookup.p99_ms < 10'
              carillon-load search --own --mix send-token --start 500 --precision 0.02 \\
                --limit 'send-token.to_device.p99_ms < 100' --json search.json

            Each step is an open loop at one rate. The rate doubles from --start until it
            fails, then the gap is halved until it is within --precision. A rate fails if it
            fails twice in a row. It holds if every --limit holds, no request failed, and 98 %
            of the requests were answered in time. A step is as long as --duration, or longer
            if a percentile of a limit needs more requests.

            \(LoadOptions.operations)

            The names of metrics are those of the JSON of run, as for its --fail-if.
            """
    )

    @OptionGroup(title: "Search") var options: SearchOptions
    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Load") var load: LoadOptions

    /// The part of the first rate below which the search gives up.
    private static let minimumFraction = 1.0 / 16

    func validate() throws {
        try target.checkApple(load.mix)
        try load.check(options.limit, target: target)
    }

    func run() async throws {
        let interruption = Interruption(atMost: LoadSession.maximumInterruptions)
        let result: SearchResult
        do {
            let session = try await LoadSession.open(target, load: load, interruption: interruption)
            defer { session.close() }
            result = try await search(session, interruption: interruption)
        }
        if options.json != RunFile.standardOutput { StandardOutput.printLine("\n" + result.text) }
        if let json = options.json { try RunFile.write(result, to: json) }
        if interruption.hasOccurred { throw LoadTestError("The search was interrupted.") }
        if result.rate == nil { throw CarillonLoad.limitExceeded }
    }

    /// Measures one rate after the other until the search ends, or an interruption.
    private func search(_ session: LoadSession, interruption: Interruption) async throws -> SearchResult {
        let startedAt = Date()
        var search = RateSearch(
            start: options.start, bounds: options.start * Self.minimumFraction...options.highest,
            precision: options.precision)
        var steps: [SearchStep] = []
        var serverBuild: Build?
        // The warnings of the last run at each rate: all of them, and those about the load tool.
        var warnings: [Double: (all: [String], tool: [String])] = [:]
        while let rate = search.nextRate, !interruption.hasOccurred {
            let minimumSeconds = Double(load.duration.milliseconds) / 1_000
            let seconds = StepLength.seconds(
                rate: rate, limits: options.limit, mix: load.mix, minimumSeconds: minimumSeconds)
            let run = try await session.measure(title: options.title, rate: rate, duration: .seconds(seconds))
            guard !interruption.hasOccurred else { break }
            let step = SearchStep(rate: rate, result: run, limits: options.limit)
            if options.json != RunFile.standardOutput { StandardOutput.printLine(step.line) }
            search.record(holds: step.holds)
            steps.append(step)
            serverBuild = run.serverBuild
            warnings[rate] = (run.notes, ResultNotes.ofTool(run))
        }
        let found = (search.highestHolding ?? steps.last?.rate).flatMap { warnings[$0]?.all } ?? []
        let atFailure = search.lowestFailing.flatMap { rate in
            warnings[rate]?.tool.map { "At \(rate.short)/s: \($0)" }
        }
        return SearchResult(
            serverBuild: serverBuild, startedAt: startedAt.ISO8601Format(),
            settings: session.settings(title: options.title, rate: steps.last?.rate), machine: session.machine,
            limits: options.limit.map(\.text), rate: search.highestHolding, failsAt: search.lowestFailing, steps: steps,
            notes: found + (search.highestHolding == nil ? [] : atFailure ?? []))
    }
}

/// The options of a search that are not about its server and its requests.
struct SearchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What must hold, such as 'lookup.p99_ms < 10'; repeatable.", valueName: "condition"),
        transform: { try MetricCondition($0) })
    var limit: [MetricCondition]

    @Option(help: ArgumentHelp("The first rate, in requests a second.", valueName: "count"))
    var start = 100.0

    @Option(help: ArgumentHelp("The highest rate to try.", valueName: "count"))
    var highest = 1_000_000.0

    @Option(help: ArgumentHelp("The gap at which the search ends, as a part of the rate.", valueName: "part"))
    var precision = 0.05

    @Option(help: ArgumentHelp("Writes the result to a file; - is standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("The title of the search in its result.", valueName: "text"))
    var title = "Search"

    func validate() throws {
        try LoadOptions.check(rate: start, of: "--start")
        try LoadOptions.check(rate: highest, of: "--highest")
        guard start <= highest else { throw ValidationError("--start is at most --highest.") }
        guard (0.001...1).contains(precision) else { throw ValidationError("--precision is 0.001 to 1.") }
    }
}
