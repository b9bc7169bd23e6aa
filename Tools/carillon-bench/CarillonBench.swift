import ArgumentParser

/// The measuring programs of `Tools/bench`, which starts them and what they need; each prints one line of JSON.
@main
struct CarillonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-bench",
        abstract: "Measures parts of Carillon; Tools/bench runs it beside a yardstick.",
        subcommands: [
            SenderBench.self, RequestBench.self, LatencyBench.self, AudienceBench.self, PostingsBench.self,
        ]
    )
}
