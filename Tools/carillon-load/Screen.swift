import Foundation

/// Standard output and standard error.
enum Screen {
    /// Writes a line to standard output.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private static let isWatched = isatty(STDERR_FILENO) == 1

    /// Shows how far something has come, on one line that is written over and over; only to a person. Nothing takes it away.
    static func progress(_ text: String?) {
        guard isWatched else { return }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let line = (text ?? "").prefix(isKnown ? Int(size.ws_col) - 1 : 79)
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
    }

    /// Lines of columns: the first to the left, the others to the right.
    static func table(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + space : space + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
