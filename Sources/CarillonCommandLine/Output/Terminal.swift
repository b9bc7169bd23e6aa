import Foundation

/// Standard output and standard error.
package enum Terminal {
    /// The name of this program, for its error messages.
    package static let program =
        CommandLine.arguments.first.map {
            String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...])
        } ?? "carillon"

    /// The name of this program as the beginning of an error message.
    package static var errorName: String { errorColors.apply(.bad, to: "\(program):") }

    /// Writes a line to standard output.
    package static func printLine(_ line: String) {
        write(line + "\n")
    }

    /// Writes a warning to standard error: the command goes on.
    package static func warn(_ text: String) {
        printError("\(errorColors.apply(.warning, to: "\(program): warning:")) \(text)")
    }

    /// True if a question can be asked: standard input and standard error are a terminal.
    package static var canAsk: Bool { isErrorTerminal && isatty(STDIN_FILENO) == 1 }

    /// Asks a question on standard error; returns true for y or yes, false for any other answer and for the end of the
    /// input.
    package static func ask(_ question: String) -> Bool {
        _ = write("\(question) [y/N] ", to: STDERR_FILENO)
        guard let answer = readLine() else {
            printError("")
            return false
        }
        return ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Writes text to standard output as it is.
    ///
    /// If the reader of a pipe has ended (`| head`), the program ends silently by SIGPIPE, as other programs do. If the
    /// text cannot be written for another reason, the program prints an error and exits with `ExitStatus.usage`.
    package static func write(_ text: String) {
        guard let error = write(text, to: STDOUT_FILENO) else { return }
        if error == EPIPE { endByClosedPipe() }
        printError("\(program): standard output cannot be written: \(String(cString: strerror(error)))")
        exit(ExitStatus.usage.rawValue)
    }

    /// Ends the process by SIGPIPE, because the reader of its output has ended.
    package static func endByClosedPipe() {
        // Libraries ignore SIGPIPE because of sockets.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    /// Writes a line to standard error. A failure to write is ignored: there is no other place to report it.
    package static func printError(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes a whole text; returns the `errno`, or nil for success.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
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

    /// True if standard error is a terminal.
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Shows progress on one line of standard error that is overwritten; only on a terminal.
    package static func progress(_ text: String, isLast: Bool = false) {
        guard isErrorTerminal else { return }
        _ = write("\r\u{1B}[K\(text)\(isLast ? "\n" : "")", to: STDERR_FILENO)
    }

    /// True if standard output is a terminal.
    package static let isOutputTerminal = isatty(STDOUT_FILENO) == 1

    /// The colors of standard output.
    package static let outputColors = TerminalColors.detected(isTerminal: isOutputTerminal)
    /// The colors of standard error.
    package static let errorColors = TerminalColors.detected(isTerminal: isErrorTerminal)

    /// The number of columns of the terminal of standard output; nil if it is not a terminal.
    package static var columnsOfOutput: Int? { columns(STDOUT_FILENO) }

    /// Writes a line of a table: cut to the width of a terminal, otherwise whole.
    package static func printRow(_ line: String) {
        printLine(columnsOfOutput.map { line.fitted(to: $0) } ?? line)
    }

    /// The number of columns of the terminal of standard error; 80 if it is not a terminal.
    package static var width: Int { columns(STDERR_FILENO) ?? 80 }

    private static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns lines of a name and a value, with the values aligned. Long values are wrapped between words to fit
    /// `columns`, by default the width of the terminal, if standard output is one.
    package static func table(_ rows: [(name: String, value: String)], columns: Int? = columnsOfOutput) -> String {
        let width = rows.map(\.name.columns).max() ?? 0
        return rows.flatMap { row in
            lines(row.value, width: columns.map { max($0 - width - 2, 20) } ?? .max).enumerated().map { index, line in
                (index == 0 ? row.name : "").left(width) + "  " + line
            }
        }.joined(separator: "\n")
    }

    /// Returns the words of a text on lines of at most `width` columns; a longer word gets its own line.
    private static func lines(_ text: String, width: Int) -> [String] {
        guard text.columns > width else { return [text] }
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.columns + 1 + String(word).columns <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// Returns a row of a number, aligned right in 10 columns, and a name.
    package static func row(_ number: String, name: String) -> String { number.right(10) + "  " + name }

    /// Returns a progress bar with its percentage, in at most `width` columns; empty if there are fewer than 12.
    package static func bar(_ share: Double, width: Int) -> String {
        guard width >= 12 else { return "" }
        let share = min(max(share, 0), 1)
        let cells = min(width - 8, 30)
        let full = Int(share * Double(cells))
        let percent = String(Int(share * 100))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        return bar + " " + String(repeating: " ", count: 3 - percent.count) + percent + " %  "
    }
}
