import ArgumentParser
import CarillonCommandLine
import Foundation

/// The output of rows to a file, as CSV or as lines of JSON, up to a limit.
final class RowOutput {
    private let columns: [String]
    private let isCSV: Bool
    private let limit: Int?
    private let file: OutputFile
    private var shownRows = 0
    private var buffer: [UInt8] = []

    /// True if the limit of rows is reached.
    var isFull: Bool { shownRows == limit }

    init(columns: [String], isCSV: Bool, limit: Int?, file: OutputFile) {
        self.columns = columns
        self.isCSV = isCSV
        self.limit = limit
        self.file = file
        if isCSV { buffer += Array((columns.joined(separator: ",") + "\r\n").utf8) }
    }

    /// Writes a row, which has a value for each column. A nil is left out, or empty in CSV.
    func append(_ values: [JSON?]) throws {
        guard !isFull else { return }
        shownRows += 1
        buffer += Array(Self.line(columns: columns, values: values, isCSV: isCSV).utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Returns the text of a row, with its line break.
    static func line(columns: [String], values: [JSON?], isCSV: Bool) -> String {
        if isCSV { return values.map { $0?.csv ?? "" }.joined(separator: ",") + "\r\n" }
        let members = zip(columns, values).compactMap { name, value in
            value.map { JSON.Member(name: name, value: $0) }
        }
        return JSON.object(members).line + "\n"
    }

    func flush() throws {
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The options for the output of rows.
struct RowOptions: ParsableArguments {
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
