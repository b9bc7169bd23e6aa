package import ArgumentParser
import CarillonSpelling
import Foundation
import Synchronization

/// A word of the command line that is neither a command nor an option of the program.
///
/// ArgumentParser speaks of other words instead, because it passes over an unknown command and reads on, or because it
/// finds that another option is missing.
package struct UnknownWordError: Error, CustomStringConvertible {
    /// The fault, the word that was probably meant, and the place where the words are listed.
    package var description: String

    /// Finds the first unknown word of a command line that could not be parsed; returns nil if every word is known.
    ///
    /// - Parameter arguments: the arguments without the name of the program.
    package init?(in arguments: [String], of root: (some ParsableCommand).Type) {
        guard let tool = Tool.of(root) else { return nil }
        var words = arguments[...]
        var path = [tool.command.commandName]
        var command = tool.command
        if words.first == "help" { words = words.dropFirst() }
        while let subcommands = command.visibleSubcommands {
            guard let word = words.first, !word.hasPrefix("-") else { break }
            guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
                let names = subcommands.filter(\.isShown).flatMap(\.names)
                let known = "There are \(names.joined(separator: ", "))."
                let hint = Spelling.nearest(to: word, among: names).map { "Did you mean '\($0)'?" } ?? known
                self.init(path, fault: "There is no command '\(word)' in '\(path.joined(separator: " "))'. \(hint)")
                return
            }
            words = words.dropFirst()
            path.append(next.commandName)
            command = next
        }
        var order = ""
        if let subcommands = command.visibleSubcommands {
            if let fallback = subcommands.first(where: { $0.commandName == command.defaultSubcommand }) {
                command = fallback
            } else if words.contains(where: { word in subcommands.contains { $0.names.contains(word) } }) {
                order = " Options come after the command."
            }
        }
        guard let option = command.unknownOption(in: words) else { return nil }
        let suggestion = Spelling.suggestion(for: option, among: command.optionNames.sorted())
        self.init(path, fault: "Unknown option '\(option)'.\(suggestion.isEmpty ? order : suggestion)")
    }

    private init(_ path: [String], fault: String) {
        description = "\(fault)\n  See '\(path.joined(separator: " ")) --help' for more information."
    }
}

/// The description of a program that ArgumentParser prints for documentation tools, as far as it is needed.
private struct Tool: Decodable {
    var command: Command

    /// The descriptions so far by the type of the root command. It takes longer to make one than to parse.
    private static let made = Mutex<[ObjectIdentifier: Tool]>([:])

    /// Returns the description of a program; nil if ArgumentParser gives it another form.
    static func of(_ root: (some ParsableCommand).Type) -> Tool? {
        made.withLock { made in
            if let tool = made[ObjectIdentifier(root)] { return tool }
            // Why try?: without a description of the command the parser's own error is shown.
            let tool = try? JSONDecoder().decode(Tool.self, from: Data(root._dumpHelp().utf8))
            made[ObjectIdentifier(root)] = tool
            return tool
        }
    }

    struct Command: Decodable {
        var commandName: String
        var aliases: [String]?
        var shouldDisplay: Bool?
        var defaultSubcommand: String?
        var subcommands: [Command]?
        var arguments: [Argument]?

        var names: [String] { [commandName] + (aliases ?? []) }
        var isShown: Bool { shouldDisplay ?? true }

        /// The subcommands without `help`; nil if the command has no subcommands.
        var visibleSubcommands: [Command]? {
            let others = (subcommands ?? []).filter { $0.commandName != "help" }
            return others.isEmpty ? nil : others
        }

        var optionNames: Set<String> {
            Set((arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map { "--" + $0.name })
        }

        /// Returns the first word that begins with two dashes and is neither an option nor the value of one; nil if
        /// every such word is known.
        func unknownOption(in words: ArraySlice<String>) -> String? {
            let known = optionNames
            let withValue = Set(
                (arguments ?? []).filter { $0.kind == "option" }.flatMap { $0.names ?? [] }.map { "--" + $0.name })
            var isValue = false
            for word in words {
                let name = String(word.prefix { $0 != "=" })
                if isValue, !known.contains(name) {
                    isValue = false
                    continue
                }
                isValue = false
                if word == "--" { return nil }
                guard word.hasPrefix("--") else { continue }
                guard known.contains(name) else { return name }
                isValue = withValue.contains(name) && name == word
            }
            return nil
        }
    }

    struct Argument: Decodable {
        var kind: String
        var names: [Name]?
    }

    struct Name: Decodable {
        var kind: String
        var name: String
    }
}
