import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ChannelShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what APNs stores of the messages of a channel.",
        discussion: """
            Examples:
              carillon channel show dHN0LXNyY2gtY2hubA== --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The id of the channel.", valueName: "channel"))
    var channel: ChannelID

    @OptionGroup var scope: ChannelScope
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: scope.app) { client, app in
            let policy = try await client.channelStoragePolicy(of: channel, app: app, in: scope.environment)
            var table = PropertyTable()
            table.add("channel", value: channel.text, key: "channel")
            table.add("environment", value: scope.environment.name, key: "environment")
            table.add("storage policy", value: policy.name, key: "storage_policy")
            table.show(isJSON: server.json)
        }
    }
}
