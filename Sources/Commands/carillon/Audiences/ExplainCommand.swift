import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows how a condition is parsed, and counts its devices without sending.",
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

    @OptionGroup var app: AppOption

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        _ = try Condition(argument: condition)
    }

    func run() async throws {
        let condition = try Condition(argument: condition)
        try await server.run(for: app) { client, app in
            let explanation = try await client.explain(condition, app: app)
            StandardOutput.printLine(server.json ? explanation.json.line : explanation.table)
        }
    }
}

/// Formats the explanation of a condition for users and as JSON.
extension Explanation {
    /// The explanation as JSON; its names are stable.
    var json: JSON {
        .members([
            "condition": .text(condition),
            "devices": .number(devices),
            "sets": .list(terms.map { .members(["set": .text($0.set), "devices": .number($0.devices)]) }),
        ])
    }

    /// The explanation as text: the condition with its count, then each term with its count.
    var table: String {
        let rows = [(devices, condition)] + (terms.count > 1 ? terms.map { ($0.devices, "  " + $0.set) } : [])
        return rows.map { TwoColumnTable.row(Int(clamping: $0.0).grouped, name: $0.1) }.joined(separator: "\n")
    }
}
