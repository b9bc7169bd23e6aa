import ArgumentParser
import CarillonCommandLine
import Foundation

/// Writes rows to a file, as CSV or as lines of JSON, up to a limit.
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
