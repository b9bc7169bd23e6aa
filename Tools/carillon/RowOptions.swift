import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Which names of an app are listed.
struct NamesOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("Only names that begin so.", valueName: "text"))
    var prefix = ""
}

/// How much of a listing is shown.
struct RowOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Shows so many rows and no more.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is at least 1.") }
    }

    /// Shows each row on a line; for people it is no wider than their terminal.
    func show<Row, Cursor>(
        _ listing: Listing<Row, Cursor>,
        isJSON: Bool,
        line: (Row) -> String
    ) async throws(CarillonError) {
        var shown = 0
        for try await row in listing {
            if isJSON { Terminal.say(line(row)) } else { Terminal.sayRow(line(row)) }
            shown += 1
            if shown == limit { return }
        }
    }

    /// Shows devices.
    func show(_ listing: Listing<DeviceID, UInt64>, isJSON: Bool) async throws(CarillonError) {
        try await show(listing, isJSON: isJSON) { id in
            isJSON ? JSON.members(["device_id": .number(id.rawValue)]).line : "\(id)"
        }
    }
}
