import ArgumentParser
import CarillonCommandLine
import CarillonCore
import Foundation

/// The file of refused lines, each with its reason, in the order and the format of the imported file: it can be mended
/// and imported. It is created for the first refusal.
struct RefusalReport {
    enum Format {
        /// A JSON object a line, with the reason as a member.
        case json
        /// CSV, with the reason in the last column, or in the column that has the reason of an earlier import.
        case csv(header: [UInt8])
    }

    let path: String
    private let format: Format
    private var file: FileHandle?
    private(set) var byteCount: UInt64

    /// Continues the report of an interrupted import, or starts a new one.
    init(path: String, format: Format, state: ImportState) throws {
        self.path = path
        self.format = format
        byteCount = state.reportBytes
        guard byteCount > 0 else {
            // Why try?: the report of an earlier import may be missing.
            try? FileManager.default.removeItem(atPath: path)
            return
        }
        guard let file = FileHandle(forWritingAtPath: path), try file.seekToEnd() >= byteCount else {
            throw ValidationError("The report \(path) of the interrupted import is missing; --restart starts again.")
        }
        try file.truncate(atOffset: byteCount)
        try file.seek(toOffset: byteCount)
        self.file = file
    }

    mutating func add(_ refusals: [ImportBatch.Refusal]) throws {
        guard !refusals.isEmpty else { return }
        var bytes: [UInt8] = []
        if file == nil {
            let isMade = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            file = isMade ? FileHandle(forWritingAtPath: path) : nil
            if case .csv(let header) = format { bytes = Self.header(header) }
        }
        guard let file else { throw ValidationError("\(path) cannot be written; --refused FILE gives another path.") }
        for refusal in refusals {
            switch format {
            case .json: bytes += Self.json(refusal)
            case .csv(let header): bytes += Self.csv(refusal, header: header)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        try file.write(contentsOf: Data(bytes))
        byteCount += UInt64(bytes.count)
    }

    /// Returns the line as a JSON object with the reason; a line that is no JSON object stands in a member `text`.
    static func json(_ refusal: ImportBatch.Refusal) -> [UInt8] {
        let reason = JSON.members([
            "line": .number(UInt64(refusal.line)), "code": .text(refusal.fault.code),
            "field": refusal.fault.field.map { .text($0) }, "message": .text(refusal.fault.message),
        ]).line
        let member = "\"\(RegistrationLine.refused)\":\(reason)"
        // Why try?: the reason says that it is not a JSON object.
        guard var members = try? JSONObjectParser.parse(refusal.bytes) else {
            let text = JSON.text(String(decoding: refusal.bytes, as: UTF8.self)).line
            return Array("{\"text\":\(text),\(member)}".utf8)
        }
        var line = refusal.bytes[...]
        if members.removeValue(forKey: RegistrationLine.refused) != nil {
            line = Array(JSON(.object(members)).line.utf8)[...]
        }
        while line.last != UInt8(ascii: "}") { line.removeLast() }
        line.removeLast()
        return Array(line) + Array("\(members.isEmpty ? "" : ",")\(member)}".utf8)
    }

    /// Returns the first line, with a column for the reason.
    static func header(_ header: [UInt8]) -> [UInt8] {
        header + (reasonColumn(header) == nil ? Array(",\(RegistrationLine.refused)".utf8) : []) + [UInt8(ascii: "\n")]
    }

    static func csv(_ refusal: ImportBatch.Refusal, header: [UInt8]) -> [UInt8] {
        let field = refusal.fault.field.map { "\($0): " } ?? ""
        let reason = JSON.text("line \(refusal.line): \(field)\(refusal.fault.message)").csv
        // Why try?: a line that is no CSV gets its reason at the end.
        if let column = reasonColumn(header), var values = try? LineFormat.values(of: refusal.bytes[...]),
            values.indices.contains(column)
        {
            values = values.map { JSON.text($0).csv }
            values[column] = reason
            return Array(values.joined(separator: ",").utf8)
        }
        return refusal.bytes + Array(",\(reason)".utf8)
    }

    private static func reasonColumn(_ header: [UInt8]) -> Int? {
        // Why try?: the format of the lines was made from this header.
        (try? LineFormat.values(of: header[...]))?.firstIndex { $0.filter { $0 != " " } == RegistrationLine.refused }
    }
}
