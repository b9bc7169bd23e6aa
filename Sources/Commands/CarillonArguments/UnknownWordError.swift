package import ArgumentParser
import CarillonSpelling

/// A word of the command line that is neither a command nor an option of the program.
///
/// ArgumentParser's own error names another word. It skips an unknown command and reads on, or reports first that
/// another option is missing.
package struct UnknownWordError: Error, CustomStringConvertible {
    /// The fault, the word that was probably meant, and the place where the words are listed.
    package var description: String

    /// Finds the first unknown word of a command line that could not be parsed; returns nil if every word is known.
    ///
    /// - Parameter arguments: the arguments without the name of the program.
    package init?(in arguments: [String], of root: (some ParsableCommand).Type) {
        guard let program = ProgramDescription.of(root) else { return nil }
        var words = arguments[...]
        var path = [program.command.commandName]
        var command = program.command
        if words.first == "help" { words = words.dropFirst() }
        while let subcommands = command.visibleSubcommands {
            guard let word = words.first, !word.hasPrefix("-") else { break }
            guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
                let names = subcommands.flatMap(\.names)
                let known = "There are \(names.joined(separator: ", "))."
                let hint = Spelling.nearest(to: word, among: names).map { "Did you mean '\($0)'?" } ?? known
                self.init(path, fault: "There is no command '\(word)' in '\(path.joined(separator: " "))'. \(hint)")
                return
            }
            words = words.dropFirst()
            path.append(next.commandName)
            command = next
        }
        var orderHint = ""
        if let subcommands = command.visibleSubcommands {
            if let fallback = subcommands.first(where: { $0.commandName == command.defaultSubcommand }) {
                command = fallback
            } else if words.contains(where: { word in subcommands.contains { $0.names.contains(word) } }) {
                orderHint = " Options come after the command."
            }
        }
        guard let option = command.unknownOption(in: words) else { return nil }
        let suggestion = Spelling.suggestion(for: option, among: command.optionNames.sorted())
        self.init(path, fault: "Unknown option '\(option)'.\(suggestion.isEmpty ? orderHint : suggestion)")
    }

    private init(_ path: [String], fault: String) {
        description = "\(fault)\n  See '\(path.joined(separator: " ")) --help' for more information."
    }
}
