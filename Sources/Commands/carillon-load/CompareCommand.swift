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
        StandardOutput.printLine(comparison.text)
        if let report { try ReportPage.write(ComparePage.html(of: comparison), to: report) }
    }
}
