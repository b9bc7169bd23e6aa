package import ArgumentParser
import Foundation

/// Parses a command line so that an error names the wrong word, and makes the text of a parser's error.
extension ParsableCommand {
    /// Parses a command line. An unknown word is reported before any other fault.
    ///
    /// - Parameter arguments: the arguments without the name of the program.
    /// - Throws: `UnknownWordError`, or ArgumentParser's error.
    package static func parsed(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) throws
        -> any ParsableCommand
    {
        do {
            let command = try parseAsRoot(arguments)
            // The parser shows the help of the program for a command that does not exist.
            if arguments.first == "help", let unknown = UnknownWordError(in: arguments, of: Self.self) { throw unknown }
            return command
        } catch let unknown as UnknownWordError {
            throw unknown
        } catch {
            guard let unknown = UnknownWordError(in: arguments, of: Self.self), !exitCode(for: error).isSuccess else {
                throw error
            }
            throw unknown
        }
    }

    /// Returns the text for an error of parsing, or the help that was asked for.
    package static func text(for error: any Error) -> String {
        if let unknown = error as? UnknownWordError { return "Error: \(unknown)" }
        let text = fullMessage(for: error)
        return text.hasPrefix("Error: ") ? text : HelpSections.reordered(text)
    }
}

/// The sections of the help of a command.
enum HelpSections {
    /// Returns the help with the section OPTIONS before the sections that have a title of their own. ArgumentParser
    /// prints the command's own options, which have no title, last.
    static func reordered(_ help: String) -> String {
        var sections = help.components(separatedBy: "\n\n")
        guard let usage = sections.firstIndex(where: { $0.hasPrefix("USAGE:") }),
            let options = sections.indices.last(where: { sections[$0].hasPrefix("OPTIONS:\n") }),
            let first = sections.indices.first(where: { $0 > usage && !sections[$0].hasPrefix("ARGUMENTS:\n") }),
            first < options
        else { return help }
        var moved = sections.remove(at: options)
        // The last section ends with a line break.
        if options == sections.count, moved.hasSuffix("\n") {
            moved.removeLast()
            sections[sections.count - 1] += "\n"
        }
        sections.insert(moved, at: first)
        return sections.joined(separator: "\n\n")
    }
}
