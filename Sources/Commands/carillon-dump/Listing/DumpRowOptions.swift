import ArgumentParser
import CarillonCommandLine

/// The options for the output of rows.
struct DumpRowOptions: ParsableArguments {
    @Flag(help: "CSV with a header. Default: one JSON object a line.")
    var csv = false

    @Option(help: ArgumentHelp("The most rows to show.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is at least 1.") }
    }

    func output(_ columns: [String]) throws -> RowOutput {
        RowOutput(columns: columns, isCSV: csv, limit: limit, file: try OutputFile(path: "-"))
    }
}
