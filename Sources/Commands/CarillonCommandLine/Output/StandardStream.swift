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
