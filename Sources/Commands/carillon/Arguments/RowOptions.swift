import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The options for the length of a listing.
struct RowOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The most rows to show.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is at least 1.") }
    }

    /// Shows each row on a line; text is cut to the width of the terminal.
    func show<Row, Cursor>(
        _ listing: Listing<Row, Cursor>, isJSON: Bool, line: (Row) -> String
    ) async throws(CarillonError) {
        var shown = 0
        for try await row in listing {
            if isJSON { StandardOutput.printLine(line(row)) } else { StandardOutput.printRow(line(row)) }
            shown += 1
            if shown == limit { return }
        }
    }

    func show(_ listing: Listing<DeviceID, UInt64>, isJSON: Bool) async throws(CarillonError) {
        try await show(listing, isJSON: isJSON) { id in
            isJSON ? JSON.members(["device_id": .number(id.rawValue)]).line : "\(id)"
        }
    }
}

/// The options for a listing of names of an app.
struct NamesOptions: ParsableArguments {
    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("Only names that begin with this.", valueName: "text"))
    var prefix = ""
}
