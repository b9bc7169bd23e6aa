import ArgumentParser
import Foundation
import Synchronization

/// The description that ArgumentParser prints of a program for documentation tools, reduced to what is needed here.
struct ProgramDescription: Decodable {
    var command: Command

    /// The descriptions so far by the type of the root command. It takes longer to make one than to parse.
    private static let cache = Mutex<[ObjectIdentifier: ProgramDescription]>([:])

    /// Returns the description of a program; nil if ArgumentParser gives it another form.
    static func of(_ root: (some ParsableCommand).Type) -> ProgramDescription? {
        cache.withLock { cache in
            if let description = cache[ObjectIdentifier(root)] { return description }
            // Why try?: without a description of the command the parser's own error is shown.
            let description = try? JSONDecoder().decode(ProgramDescription.self, from: Data(root._dumpHelp().utf8))
            cache[ObjectIdentifier(root)] = description
            return description
        }
    }

    struct Command: Decodable {
        var commandName: String
        var aliases: [String]?
        var defaultSubcommand: String?
        var subcommands: [Command]?
        var arguments: [Argument]?

        var names: [String] { [commandName] + (aliases ?? []) }

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
