import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "Lists the devices of a group.",
        discussion: """
            Examples:
              carillon group members user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: group.app) { client, app in
            try await rows.show(client.devices(of: group.group, app: app), isJSON: server.json)
        }
    }
}
