import ArgumentParser
import CarillonCommandLine

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Generates a load and measures throughput and latency.",
        discussion: """
            Examples:
              carillon-load --own --rate 2000 --duration 30s --report run.html
              carillon-load --own --connections 4 --depth 64 --mix lookup
              carillon-load --server 127.0.0.1:7474 --api-key-file key --app my.game \\
                --rate 500 --mix send-topic=1,send-token=20 --keys zipf \\
                --simulator-control 127.0.0.1:2198 --json run.json
              carillon-load --own --rate 500 --fail-if 'lookup.p99_ms > 10' \\
                --fail-if 'all.failed > 0'

            With --rate it is an open loop: requests are due at their time, independent of
            earlier answers, and latency is measured from when they were due. So a stall of
            the server counts for every request that it delays.
            Without --rate it is a closed loop: each connection has --depth requests in
            flight, and an answer makes room for the next. It finds the highest throughput;
            its latency is that of callers that wait for answers.

            \(LoadOptions.operations)

            --fail-if takes a metric by its name in the JSON: OPERATION.p99_ms, all.failed,
            send-token.to_device.p99_9_ms, server.cores. A metric without a value fails too.

            Ctrl-C ends a run early, with the results so far.
            """
    )

    @OptionGroup(title: "Run") var options: RunOptions
    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Load") var load: LoadOptions

    func validate() throws {
        try LoadOptions.check(rate: options.rate, of: "--rate")
        try target.checkApple(load.mix)
        try load.check(options.failIf, target: target)
    }

    func run() async throws {
        let interruption = Interruption(atMost: LoadSession.maximumInterruptions)
        var result: RunResult
        do {
            let session = try await LoadSession.open(target, load: load, interruption: interruption)
            defer { session.close() }
            result = try await session.measure(title: options.title, rate: options.rate)
        }
        let metrics = result.metrics
        result.failIf = options.failIf.map { $0.result(in: metrics) }
        let json = options.json
        if json != RunFile.standardOutput { StandardOutput.printLine(Summary.text(of: result)) }
        if let json { try RunFile.write(result, to: json) }
        if let report = options.report { try ReportPage.write(RunPage.html(of: result), to: report) }
        if result.answered == 0 { throw LoadTestError("No request was answered successfully.") }
        let failures = result.failIf.filter { $0.holds != false }
        for failure in failures { StandardError.printLine("carillon-load: failed: \(failure.text)") }
        if !failures.isEmpty { throw CarillonLoad.limitExceeded }
    }
}

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
