import ArgumentParser

/// The options of a run that are not about its server and its requests.
struct RunOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Requests a second (open loop). Default: a closed loop.", valueName: "count"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Exit status 4 if this holds at the end, such as 'lookup.p99_ms > 10'; repeatable.",
            valueName: "condition"),
        transform: { try MetricCondition($0) })
    var failIf: [MetricCondition] = []

    @Option(
        help: ArgumentHelp(
            "Writes the complete result to a file, for compare and report; - is standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Writes a page with plots to a file.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("The title of the run in reports.", valueName: "text"))
    var title = "Load test"
}
