import Foundation

/// The standard error of this program: errors, warnings, notes and progress.
package enum StandardError {
    package static let isTerminal = isatty(STDERR_FILENO) == 1

    package static let colors = TerminalColors.detected(isTerminal: isTerminal)

    /// The number of columns of the terminal; 80 if standard error is not a terminal.
    package static var columns: Int { StandardStream.columns(of: STDERR_FILENO) ?? 80 }

    /// The beginning of an error message: the name of this program and a colon, in color on a terminal.
    package static var errorPrefix: String { colors.apply(.bad, to: "\(Program.name):") }

    package static func printLine(_ line: String) {
        write(line + "\n")
    }

    /// Writes a warning: the command goes on.
    package static func warn(_ text: String) {
        printLine("\(colors.apply(.warning, to: "\(Program.name): warning:")) \(text)")
    }

    /// Shows progress on one line that the next progress overwrites; only on a terminal.
    package static func showProgress(_ text: String, isLast: Bool = false) {
        guard isTerminal else { return }
        write("\r\u{1B}[K\(text)\(isLast ? "\n" : "")")
    }

    /// Removes the line of the progress; only on a terminal.
    package static func clearProgress() { showProgress("") }

    /// Writes text as it is. A failure to write is ignored: there is no other place to report it.
    static func write(_ text: String) {
        _ = StandardStream.write(text, to: STDERR_FILENO)
    }
}
