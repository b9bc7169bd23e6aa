import Foundation

/// The standard output of this program, for what a command was asked to show.
package enum StandardOutput {
    package static let isTerminal = isatty(STDOUT_FILENO) == 1

    package static let colors = TerminalColors.detected(isTerminal: isTerminal)

    /// The number of columns of the terminal; nil if standard output is not a terminal.
    package static var columns: Int? { StandardStream.columns(of: STDOUT_FILENO) }

    package static func printLine(_ line: String) {
        write(line + "\n")
    }

    /// Writes a line of a table: cut to the width of a terminal, otherwise whole.
    package static func printRow(_ line: String) {
        printLine(columns.map { line.fitted(to: $0) } ?? line)
    }

    /// Writes text as it is.
    ///
    /// If the reader of a pipe has ended (`| head`), the program ends silently by SIGPIPE, as other programs do. If the
    /// text cannot be written for another reason, the program prints an error and exits with `ExitStatus.usage`.
    package static func write(_ text: String) {
        guard let error = StandardStream.write(text, to: STDOUT_FILENO) else { return }
        if error == EPIPE { endByClosedPipe() }
        StandardError.printLine(
            "\(Program.name): standard output cannot be written: \(String(cString: strerror(error)))")
        exit(ExitStatus.usage.rawValue)
    }

    /// Ends the process by SIGPIPE, because the reader of its output has ended.
    package static func endByClosedPipe() {
        // Libraries ignore SIGPIPE because of sockets.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
}
