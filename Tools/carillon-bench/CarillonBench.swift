import ArgumentParser

/// The bench programs of `Tools/bench`, which starts them with everything that they need. Each prints one line of JSON.
@main
struct CarillonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-bench",
        abstract: "Measures parts of Carillon; Tools/bench runs it beside a reference program.",
        subcommands: [
            SenderBench.self, RequestBench.self, LatencyBench.self, AudienceBench.self, PostingsBench.self,
        ]
    )
}
