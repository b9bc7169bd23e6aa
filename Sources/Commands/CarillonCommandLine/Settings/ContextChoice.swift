import CarillonSpelling
import Foundation

/// The configuration file that a command uses, and the one of its contexts that applies.
package struct ContextChoice {
    /// The rule of the names of contexts, for faults.
    static let nameRule = "a name has 1 to 64 letters, digits, '-', '_' and '.'"

    /// The path of the file; nil if no file is used.
    package let path: String?
    /// The settings of the file; empty if no file is used.
    package let file: ConfigFile
    /// The name of the context that is used; nil for none.
    package let name: String?

    /// Reads the file that the command uses.
    ///
    /// - Parameters:
    ///   - config: the file of `--config`; nil for the path from the environment, or the default path.
    ///   - context: the context of `--context`; nil for the context of the environment, else the chosen one.
    ///   - environment: the variables that are not empty.
    package init(_ config: String? = nil, context: String? = nil, environment: [String: String]) throws {
        let named = config ?? environment["CARILLON_CLI_CONFIG"]
        let path = named ?? ConfigFile.defaultPath(environment).flatMap { access($0, F_OK) == 0 ? $0 : nil }
        file = try path.map { try ConfigFile.read($0, environment: environment) } ?? ConfigFile()
        name = try context ?? environment["CARILLON_CONTEXT"] ?? path.flatMap { try Self.chosen(for: $0) }
        self.path = path
    }

    /// Returns the settings of the file with those of the context.
    package func settings() throws(CommandError) -> ConfigFile {
        guard let name else { return file }
        guard let context = file.contexts[name] else { throw unknown(name) }
        return file.merging(context)
    }

    /// Makes a context the one that commands use without `--context` and CARILLON_CONTEXT, or with nil no context. The
    /// choice is kept in a file of its own, beside the configuration file, whose comments stay as they are.
    package func choose(_ name: String?) throws(CommandError) {
        guard let path else { throw CommandError.unusable("there is no configuration file") }
        let choice = Self.choicePath(path)
        guard let name else {
            guard unlink(choice) == 0 || errno == ENOENT else { throw CommandError.system("cannot be removed", choice) }
            return
        }
        guard file.contexts[name] != nil else { throw unknown(name) }
        do {
            try Data((name + "\n").utf8).write(to: URL(fileURLWithPath: choice), options: .atomic)
        } catch {
            throw CommandError.unusable("\(choice) cannot be written: \(error.localizedDescription)")
        }
    }

    static func isContextName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_.".utf8.contains(byte)
            }
    }

    private func unknown(_ name: String) -> CommandError {
        guard let path else {
            return .unusable("there is no context '\(name)': there is no configuration file")
        }
        let names = file.contexts.keys.sorted()
        let hint =
            names.isEmpty
            ? "it has no contexts"
            : Spelling.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
                ?? "there are \(names.joined(separator: ", "))"
        return .unusable("there is no context '\(name)' in \(path): \(hint)")
    }

    private static func choicePath(_ path: String) -> String { path + ".context" }

    /// Returns the name of the context that was chosen for a file; nil if there is no such choice.
    private static func chosen(for path: String) throws(CommandError) -> String? {
        let choice = choicePath(path)
        guard access(choice, F_OK) == 0 else { return nil }
        let text = String(decoding: try InputFile.contents(choice, maximumBytes: 256), as: UTF8.self)
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard isContextName(name) else {
            throw CommandError.unusable("\(choice) has no name of a context: \(nameRule)")
        }
        return name
    }
}
