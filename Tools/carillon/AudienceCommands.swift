import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Conditions: what they mean and whom they hold for.",
        discussion: """
            Examples:
              carillon audience explain "'level5' in topics" --app com.example.game
            """,
        subcommands: [ExplainCommand.self]
    )
}

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows how a condition is read, and counts its devices without sending.",
        discussion: """
            Examples:
              carillon audience explain --app com.example.game \\
                "'level5' in topics && ('en' in topics || locale == 'zh')"
              carillon audience explain --app com.example.game \\
                "'user/42' in groups && platform != 'ios'"

            && binds tighter than ||; ! negates. Terms are 'T' in topics, 'G' in groups,
            KEY == 'VALUE' of attributes, locale, environment and kind, and all.
            """
    )

    @Argument(help: ArgumentHelp("The condition.", valueName: "condition"))
    var condition: String

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        _ = try Condition(argument: condition)
    }

    func run() async throws {
        let condition = try Condition(argument: condition)
        try await server.run { client in
            let explanation = try await client.explain(condition, app: app)
            Terminal.say(server.json ? explanation.json.line : explanation.table)
        }
    }
}

extension Explanation {
    /// The explanation with stable names.
    var json: JSON {
        .members([
            "condition": .text(condition),
            "devices": .number(devices),
            "sets": .list(terms.map { .members(["set": .text($0.set), "devices": .number($0.devices)]) }),
        ])
    }

    /// The explanation for people: the condition and its count, then those of its terms.
    var table: String {
        let rows = [(devices, condition)] + (terms.count > 1 ? terms.map { ($0.devices, "  " + $0.set) } : [])
        return rows.map { Terminal.row(Int(clamping: $0.0).grouped, $0.1) }.joined(separator: "\n")
    }
}
