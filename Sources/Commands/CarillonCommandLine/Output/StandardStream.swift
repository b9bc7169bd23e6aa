import Foundation

/// Common parts of standard output and standard error.
enum StandardStream {
    /// Returns the number of columns of a terminal; nil if the descriptor is not that of a terminal.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes a whole text; returns the `errno`, or nil for success.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var remainder = UnsafeRawBufferPointer(bytes)
            while !remainder.isEmpty {
                let count = Foundation.write(descriptor, remainder.baseAddress, remainder.count)
                if count >= 0 {
                    remainder = UnsafeRawBufferPointer(rebasing: remainder.dropFirst(count))
                } else if errno == EAGAIN {
                    // Another process has made the shared file non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}

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

/// The standard error of this program: errors, warnings, notes and progress.
package enum StandardError {
    package static let isTerminal = isatty(STDERR_FILENO) == 1

    package static let colors = TerminalColors.detected(isTerminal: isTerminal)

    /// The number of columns of the terminal; 80 if standard error is not a terminal.
    package static var columns: Int { StandardStream.columns(of: STDERR_FILENO) ?? 80 }

    /// The name of this program as the beginning of an error message.
    package static var programName: String { colors.apply(.bad, to: "\(Program.name):") }

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

    /// Writes text as it is. A failure to write is ignored: there is no other place to report it.
    static func write(_ text: String) {
        _ = StandardStream.write(text, to: STDERR_FILENO)
    }
}

/// A question on the terminal to the person who runs the program.
package enum Confirmation {
    /// True if a question can be asked: standard input and standard error are a terminal.
    package static var canAsk: Bool { StandardError.isTerminal && isatty(STDIN_FILENO) == 1 }

    /// Asks a question on standard error; returns true for y or yes, false for any other answer and for the end of the
    /// input.
    package static func ask(_ question: String) -> Bool {
        StandardError.write("\(question) [y/N] ")
        guard let answer = readLine() else {
            StandardError.printLine("")
            return false
        }
        return ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
    }
}

/// The bar that shows the progress of a long command on a terminal.
package enum ProgressBar {
    /// Returns the bar with its percentage, in at most `columns` columns; empty if there are fewer than 12.
    package static func text(share: Double, columns: Int) -> String {
        guard columns >= 12 else { return "" }
        let share = min(max(share, 0), 1)
        let cells = min(columns - 8, 30)
        let full = Int(share * Double(cells))
        let percent = String(Int(share * 100))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        return bar + " " + String(repeating: " ", count: 3 - percent.count) + percent + " %  "
    }
}
