import CarillonCore
import CarillonServer
import CarillonSpelling

/// A command that a command line of `carillond` asks for. Parsing it does no I/O.
enum Command: Equatable {
    /// The command `serve`, which runs the server, with the options of settings, each as `--name=value`.
    case serve([String])
    /// The command `check-config`, which reports the faults of settings and files, with the options of settings.
    case checkConfiguration([String])
    /// The command `check-health`, which asks a running server about its health, with the options of settings.
    case checkHealth([String])
    /// The command `cluster-status`, which prints the shared log's view of the cluster's nodes, with the options of
    /// settings.
    case showCluster([String])
    /// The command `make-key`, which makes an API key.
    case makeKey(KeyRequest)
    /// The command `make-vapid`, which makes a VAPID key in a file.
    case makeVAPID(file: String)
    /// The option `--example-config`, which prints all settings as a file.
    case printExample
    /// The option `--version`, which prints the version.
    case printVersion
    /// The option `--help`, which prints the help, of `make-key` or of all commands.
    case printHelp(ofMakeKey: Bool)

    private static let names = [
        "serve", "check-config", "check-health", "cluster-status", "make-key", "make-vapid", "version", "help",
    ]

    /// An option that no help shows, for tests of a rolling upgrade: the same program takes the part of another
    /// version, with this number as its newest format of entries. It is no setting, because a value that is left in an
    /// environment or a file must not change what is written to the shared log.
    static let logFormatOption = "--test-log-format"

    /// The purpose for which a command reads the settings.
    private enum Use {
        case serve, checkConfiguration, checkHealth, showCluster
    }

    /// Parses a command line. Without a command the server is run.
    ///
    /// - Parameter arguments: the arguments without the name of the program.
    init(_ arguments: [String]) throws(UsageError) {
        let rest = arguments.dropFirst()
        switch arguments.first {
        case "serve": self = try Self.parseSettings(rest, for: .serve)
        case "check-config": self = try Self.parseSettings(rest, for: .checkConfiguration)
        case "check-health": self = try Self.parseSettings(rest, for: .checkHealth)
        case "cluster-status": self = try Self.parseSettings(rest, for: .showCluster)
        case "make-key": self = try Self.parseMakeKey(rest)
        case "make-vapid": self = try Self.parseMakeVAPID(rest)
        case "version", "help":
            let scanner = try OptionScanner(rest, known: [.init(name: "--help", value: .none)])
            let isHelp = arguments[0] == "help"
            if let word = scanner.operands.first(where: { !isHelp || !Self.names.contains($0) }) {
                throw Self.unknown(word)
            }
            self = isHelp ? .printHelp(ofMakeKey: scanner.operands == ["make-key"]) : .printVersion
        case let word? where !word.hasPrefix("-"): throw Self.unknown(word)
        default: self = try Self.parseSettings(arguments[...], for: .serve)
        }
    }

    /// The options without a value, in addition to the settings.
    private static let settingsFlags = ["--help", "--version", "--example-config"]

    private static var settingsOptions: [OptionScanner.Option] {
        settingsFlags.map { OptionScanner.Option(name: $0, value: .none) }
            + ["--config", logFormatOption].map { OptionScanner.Option(name: $0) }
            + Setting.all.map { setting in
                if case .flag = setting.value {
                    OptionScanner.Option(name: setting.option, value: .flag)
                } else {
                    OptionScanner.Option(name: setting.option)
                }
            }
    }

    /// Parses `serve`, `check-config`, `check-health` and `cluster-status`, which have the same options.
    private static func parseSettings(_ arguments: ArraySlice<String>, for use: Use) throws(UsageError) -> Command {
        let scanner = try OptionScanner(arguments, known: settingsOptions)
        if scanner.values["--help"] != nil { return .printHelp(ofMakeKey: false) }
        if scanner.values["--version"] != nil { return .printVersion }
        if scanner.values["--example-config"] != nil { return .printExample }
        let options = scanner.options
        if use == .checkConfiguration {
            return .checkConfiguration(options + (try fileOption(scanner)))
        }
        if let word = scanner.operands.first { throw unknown(word) }
        return switch use {
        case .checkHealth: .checkHealth(options)
        case .showCluster: .showCluster(options)
        case .serve, .checkConfiguration: .serve(options)
        }
    }

    /// Returns the file of settings that `check-config` has without an option, as an option; empty if there is none.
    private static func fileOption(_ scanner: OptionScanner) throws(UsageError) -> [String] {
        guard let file = scanner.operands.first else { return [] }
        guard scanner.operands.count == 1 else {
            throw UsageError("check-config takes one file, not \(scanner.operands.joined(separator: " and "))")
        }
        if let other = scanner.values["--config"]?.first {
            throw UsageError("the file is given twice: \(other) and \(file)")
        }
        return ["--config=\(file)"]
    }

    private static func parseMakeKey(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        let scanner = try OptionScanner(
            arguments,
            known: [
                .init(name: "--app", isRepeated: true), .init(name: "--role", isRepeated: true), .init(name: "--out"),
                .init(name: "--help", value: .none),
            ])
        if scanner.values["--help"] != nil { return .printHelp(ofMakeKey: true) }
        guard let name = scanner.operands.first else { throw UsageError("make-key needs the name of the principal") }
        guard scanner.operands.count == 1 else {
            throw UsageError("make-key takes one name; '\(scanner.operands[1])' is another word")
        }
        return .makeKey(
            try KeyRequest(
                name: name, apps: scanner.values["--app"] ?? [], roles: scanner.values["--role"] ?? [],
                file: scanner.values["--out"]?.first))
    }

    private static func parseMakeVAPID(_ arguments: ArraySlice<String>) throws(UsageError) -> Command {
        let scanner = try OptionScanner(arguments, known: [.init(name: "--help", value: .none)])
        if scanner.values["--help"] != nil { return .printHelp(ofMakeKey: false) }
        guard scanner.operands.count == 1, let file = scanner.operands.first else {
            throw UsageError("make-vapid needs one file, to which it writes the key")
        }
        return .makeVAPID(file: file)
    }

    private static func unknown(_ word: String) -> UsageError {
        // A file of settings: the most probable cause is that --config is missing.
        guard !word.contains("/"), !word.hasSuffix(".json") else {
            return UsageError("unexpected word '\(word)'. For a file of settings: --config \(word)")
        }
        // The name of an option without its dashes is near as well.
        let known = names + settingsFlags
        let meant = Spelling.nearest(to: word, among: known) ?? Spelling.nearest(to: "--" + word, among: known)
        let hint = meant.map { "Did you mean '\($0)'?" } ?? "There are \(names.joined(separator: ", "))."
        return UsageError("there is no command '\(word)'. \(hint)")
    }
}
