import ArgumentParser

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
