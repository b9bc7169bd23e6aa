import ArgumentParser
import CarillonCommandLine

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two runs that were written with --json."
    )

    @Argument(help: ArgumentHelp("The run before.", valueName: "A.json")) var before: String
    @Argument(help: ArgumentHelp("The run after.", valueName: "B.json")) var after: String

    @Option(help: ArgumentHelp("Writes a page with plots to a file.", valueName: "file.html"))
    var report: String?

    func run() throws {
        let comparison = Comparison(before: try RunFile.read(before), after: try RunFile.read(after))
        Terminal.say(comparison.text)
        if let report { try Page.write(ComparePage.html(of: comparison), to: report) }
    }
}

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes the page of a run that was written with --json."
    )

    @Argument(help: ArgumentHelp("The run.", valueName: "run.json")) var result: String
    @Argument(help: ArgumentHelp("The page.", valueName: "file.html")) var page: String

    func run() throws {
        try Page.write(RunPage.html(of: RunFile.read(result)), to: page)
    }
}
