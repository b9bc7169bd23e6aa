import ArgumentParser

struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Conditions: how they are parsed and how many devices they select.",
        discussion: """
            Examples:
              carillon audience explain "'level5' in topics" --app com.example.game
            """,
        subcommands: [ExplainCommand.self]
    )
}
