import ArgumentParser
import CarillonCommandLine
import Foundation

/// The report of refused lines with the reasons: a JSON object each, in the order of the file. The file is created for
/// the first refusal.
struct RefusalReport {
    let path: String
    private var file: FileHandle?
    private(set) var byteCount: UInt64

    /// Continues a report after `byteCount` bytes; 0 starts a new one.
    init(path: String, byteCount: UInt64) throws {
        self.path = path
        self.byteCount = byteCount
        guard byteCount > 0 else {
            // Why `try?`: the report of an earlier import may be missing.
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

    /// Adds lines.
    mutating func add(_ refusals: [(line: Int, fault: RegistrationLine.Fault)]) throws {
        guard !refusals.isEmpty else { return }
        if file == nil {
            let isMade = FileManager.default.createFile(atPath: path, contents: nil)
            file = isMade ? FileHandle(forWritingAtPath: path) : nil
        }
        guard let file else { throw ValidationError("\(path) cannot be written; --refused FILE gives another path.") }
        let text = refusals.map { refusal in
            JSON.members([
                "line": .number(UInt64(refusal.line)), "code": .text(refusal.fault.code),
                "field": refusal.fault.field.map { .text($0) }, "message": .text(refusal.fault.message),
            ]).line + "\n"
        }.joined()
        try file.write(contentsOf: Data(text.utf8))
        byteCount += UInt64(text.utf8.count)
    }
}
