import Foundation

/// Standard output and standard error.
enum Terminal {
    /// Writes a line to standard output.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Whether a person watches standard error.
    static let isWatched = isatty(STDERR_FILENO) == 1

    /// Shows how far something has come, on one line that is written over and over; only to a person.
    static func progress(_ text: String, isLast: Bool = false) {
        guard isWatched else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)\(isLast ? "\n" : "")".utf8))
    }

    /// Lines of a name and a value, the values below each other.
    static func table(_ rows: [(name: String, value: String)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            row.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + row.value
        }.joined(separator: "\n")
    }
}
