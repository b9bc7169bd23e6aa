import ArgumentParser
import CarillonCommandLine

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes the page of a run that was written with --json."
    )

    @Argument(help: ArgumentHelp("The run.", valueName: "run.json")) var result: String
    @Argument(help: ArgumentHelp("The page.", valueName: "file.html")) var page: String

    func run() throws {
        try ReportPage.write(RunPage.html(of: RunFile.read(result)), to: page)
    }
}
