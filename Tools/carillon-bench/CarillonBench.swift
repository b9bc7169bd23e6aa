import ArgumentParser

/// The bench programs of `Tools/bench`, which starts them with everything that they need. Each prints one line of JSON.
/// `log` is for you: it needs a log database of yours, and prints RESULT lines.
@main
struct CarillonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-bench",
        abstract: "Measures parts of Carillon; Tools/bench runs most of it beside a reference program.",
        subcommands: [
            SenderBench.self, RequestBench.self, LatencyBench.self, AudienceBench.self, PostingsBench.self,
            LogBench.self,
        ]
    )
}
