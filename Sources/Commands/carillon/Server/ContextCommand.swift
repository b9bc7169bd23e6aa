import ArgumentParser
import CarillonCommandLine
import CarillonCore
import Foundation

struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Lists the contexts of the configuration file, and chooses one.",
        discussion: """
            A context is a group of settings with a name: a server, its key and an app.

              {"timeout": "10s",
               "contexts": {
                 "live": {"server": "push.internal:7474", "apiKeyFile": "live.key"},
                 "test": {"server": "127.0.0.1:7474", "app": "com.example.test"}}}

            A setting that the context does not have is that of the file. --context NAME
            overrides the environment; CARILLON_CONTEXT and the chosen context do not.

            Examples:
              carillon context list
              carillon context use test
              carillon ping --context live
            """,
        subcommands: [ContextListCommand.self, ContextUseCommand.self]
    )
}

/// The options of the commands about contexts.
struct ContextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file. In the environment: CARILLON_CLI_CONFIG. Default: ~/.config/carillon/config.json.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?

    /// Returns the contexts of the file, and the one that is used.
    func choice(context: String? = nil) throws -> ContextChoice {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        return try ContextChoice(config, context: context, environment: environment)
    }
}

struct ContextListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the contexts; * marks the one that is used.",
        discussion: """
            Examples:
              carillon context list
            """
    )

    @OptionGroup var options: ContextOptions

    @Flag(help: "Prints JSON, one object a line.")
    var json = false

    func run() throws {
        let choice = try options.choice()
        let rows = choice.file.contexts.sorted { $0.key < $1.key }.map { name, context in
            (name: name, isUsed: name == choice.name, settings: choice.file.merging(context))
        }
        if json {
            for row in rows {
                StandardOutput.printLine(
                    JSON.members([
                        "context": .text(row.name), "used": .bool(row.isUsed),
                        "server": row.settings.server.map { .text($0) },
                        "app": row.settings.app.map { .text($0.name) },
                    ]).line)
            }
            return
        }
        guard !rows.isEmpty else {
            return StandardError.printLine(
                choice.path.map { "\($0) has no contexts" } ?? "there is no configuration file")
        }
        var table = TextTable([("", .name), ("CONTEXT", .name), ("SERVER", .name), ("APP", .name)])
        for row in rows {
            table.add([row.isUsed ? "*" : "", row.name, row.settings.server ?? "-", row.settings.app?.name ?? "-"])
        }
        for line in table.lines(width: StandardOutput.columns ?? 200) { StandardOutput.printLine(line) }
    }
}

struct ContextUseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Chooses the context of commands without --context and CARILLON_CONTEXT.",
        discussion: """
            Examples:
              carillon context use test
              carillon context use --none

            The choice is kept beside the configuration file, in config.json.context.
            """
    )

    @Argument(help: ArgumentHelp("The context.", valueName: "name"))
    var name: String?

    @Flag(help: "Chooses no context: only the other settings of the file are used.")
    var none = false

    @OptionGroup var options: ContextOptions

    func validate() throws {
        guard (name == nil) == none else { throw ValidationError("Give the name of a context, or --none.") }
    }

    func run() throws {
        try options.choice().choose(name)
        StandardOutput.printLine(name.map { "context \($0)" } ?? "no context")
    }
}
