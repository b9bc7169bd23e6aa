import ArgumentParser
import CarillonCommandLine
import Foundation

/// How rows are shown.
struct RowOptions: ParsableArguments {
    @Flag(help: "CSV with a line of names; usually one JSON object a line.")
    var csv = false

    @Option(help: ArgumentHelp("Shows so many rows and no more.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is at least 1.") }
    }

    /// Where rows with those columns go.
    func output(_ columns: [String]) throws -> RowOutput {
        RowOutput(columns: columns, isCSV: csv, limit: limit, file: try OutputFile(path: "-"))
    }
}

/// Writes rows to standard output.
final class RowOutput {
    private let columns: [String]
    private let isCSV: Bool
    private let limit: Int?
    private let file: OutputFile
    private var shown = 0
    private var buffer: [UInt8] = []

    /// Whether as many rows as are wanted are shown.
    var isFull: Bool { shown == limit }

    init(columns: [String], isCSV: Bool, limit: Int?, file: OutputFile) {
        (self.columns, self.isCSV, self.limit, self.file) = (columns, isCSV, limit, file)
        if isCSV { buffer += Array((columns.joined(separator: ",") + "\r\n").utf8) }
    }

    /// Shows a row, a value for each column; what is nothing is left out, or empty in CSV.
    func append(_ values: [JSON?]) throws {
        guard !isFull else { return }
        shown += 1
        buffer += Array(Self.line(columns, values, isCSV: isCSV).utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// A row as it is written, with its end.
    static func line(_ columns: [String], _ values: [JSON?], isCSV: Bool) -> String {
        if isCSV { return values.map { $0?.csv ?? "" }.joined(separator: ",") + "\r\n" }
        let members = zip(columns, values).compactMap { name, value in value.map { JSON.Member(name: name, value: $0) }
        }
        return JSON.object(members).line + "\n"
    }

    /// Writes what is left.
    func flush() throws {
        do throws(Failure) {
            try file.write(buffer)
        } catch {
            // Who reads has seen enough, as in `carillon-dump devices … | head`.
            if errno == EPIPE { throw ExitStatus.done }
            throw error
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension JSON {
    /// The value as a field of CSV (RFC 4180); values of a list, and of an object, between semicolons.
    var csv: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .list(let items): Self.quoted(items.map(\.plain).joined(separator: ";"))
        case .object(let members): Self.quoted(members.map { "\($0.name)=\($0.value.plain)" }.joined(separator: ";"))
        case .null: ""
        case .bool, .number, .decimal: line
        }
    }

    private var plain: String { if case .text(let text) = self { text } else { line } }

    private static func quoted(_ text: String) -> String {
        // By scalars: as a character, a line feed after a carriage return is not one on its own.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
