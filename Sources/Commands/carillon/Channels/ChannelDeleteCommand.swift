import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ChannelDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a channel for ever.",
        discussion: """
            Examples:
              carillon channel delete dHN0LXNyY2gtY2hubA== --app com.example.game

            APNs may still deliver what it has stored of the channel.
            """
    )

    @Argument(help: ArgumentHelp("The id of the channel.", valueName: "channel"))
    var channel: ChannelID

    @OptionGroup var scope: ChannelScope
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: scope.app) { client, app in
            let wasKnown = try await client.deleteChannel(channel, app: app, in: scope.environment)
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["channel": .text(channel.text), "deleted": .bool(wasKnown)]).line
                    : "\(channel)  \(wasKnown ? "deleted" : "APNs knows no such channel")")
        }
    }
}
