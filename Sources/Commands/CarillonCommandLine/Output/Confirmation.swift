import Foundation

/// Asks the user of the program a question on the terminal.
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
