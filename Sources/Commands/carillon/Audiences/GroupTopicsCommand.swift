import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct GroupTopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists the topics that a group, and so its devices, is subscribed to.",
        discussion: """
            Examples:
              carillon group topics user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: group.app) { client, app in
            try await rows.show(client.topics(of: group.group, app: app), isJSON: server.json) { topic in
                server.json ? JSON.members(["topic": .text(topic.name)]).line : topic.name
            }
        }
    }
}
