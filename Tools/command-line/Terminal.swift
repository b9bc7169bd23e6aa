import Foundation

/// Standard output and standard error.
package enum Terminal {
    /// The name of this program, before its complaints.
    package static let program =
        CommandLine.arguments.first.map {
            String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...])
        } ?? "carillon"

    /// Writes a line to standard output.
    package static func say(_ line: String) {
        write(line + "\n")
    }

    /// Writes text to standard output as it is.
    ///
    /// If nobody reads it any more (`| head`), the program ends there, without a word, as one that takes no notice of SIGPIPE
    /// does not; if it cannot be written, with a complaint and `ExitStatus.usage`.
    package static func write(_ text: String) {
        guard let error = write(text, to: STDOUT_FILENO) else { return }
        if error == EPIPE {
            // Libraries have it ignored for the sake of sockets.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        complain("\(program): standard output cannot be written: \(String(cString: strerror(error)))")
        exit(ExitStatus.usage.rawValue)
    }

    /// Writes a line to standard error. What cannot be written is lost: there is nobody left to tell.
    package static func complain(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes all of a text; the error if it cannot.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if errno == EAGAIN {
                    // Shared with somebody who does not wait.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }

    /// Whether a person watches standard error.
    package static let isWatched = isatty(STDERR_FILENO) == 1

    /// Shows how far something has come, on one line that is written over and over; only to a person.
    package static func progress(_ text: String, isLast: Bool = false) {
        guard isWatched else { return }
        _ = write("\r\u{1B}[K\(text)\(isLast ? "\n" : "")", to: STDERR_FILENO)
    }

    /// Whether a person reads standard output.
    package static let isScreen = isatty(STDOUT_FILENO) == 1

    /// The colours of standard output.
    package static let ink = ANSIStyle.wanted(isTerminal: isScreen)
    /// The colours of standard error.
    package static let inkOfErrors = ANSIStyle.wanted(isTerminal: isWatched)

    /// Columns of the terminal of standard output; nil if it is none.
    package static var columnsOfOutput: Int? { columns(STDOUT_FILENO) }

    /// Writes a line of a table: on a terminal no wider than that, else whole, for whoever reads it there.
    package static func sayRow(_ line: String) {
        say(columnsOfOutput.map { line.fitted(to: $0) } ?? line)
    }

    /// Columns of the terminal of standard error; 80 if it is none.
    package static var width: Int { columns(STDERR_FILENO) ?? 80 }

    private static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Lines of a name and a value, the values below each other; between words they are broken to fit `columns`, by default
    /// those of the terminal if standard output is one.
    package static func table(_ rows: [(name: String, value: String)], columns: Int? = columnsOfOutput) -> String {
        let width = rows.map(\.name.columns).max() ?? 0
        return rows.flatMap { row in
            lines(row.value, width: columns.map { max($0 - width - 2, 20) } ?? .max).enumerated().map { index, line in
                (index == 0 ? row.name : "").left(width) + "  " + line
            }
        }.joined(separator: "\n")
    }

    /// The words of a text on lines of at most `width` columns; a longer word has a line of its own.
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

    /// A number to the right of a column of 10, then a name.
    package static func row(_ number: String, _ name: String) -> String { number.right(10) + "  " + name }

    /// A bar of what share is done, with the percentage behind it, in at most `width` columns; nil if they are few.
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

extension Int {
    /// The number with commas between thousands.
    package var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }
}
