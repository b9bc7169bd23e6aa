import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ChannelListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the channels of an app in one environment.",
        discussion: """
            Examples:
              carillon channel list --app com.example.game --environment sandbox
            """
    )

    @OptionGroup var scope: ChannelScope
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: scope.app) { client, app in
            try await rows.show(client.channels(of: app, in: scope.environment), isJSON: server.json) { channel in
                server.json ? JSON.members(["channel": .text(channel.text)]).line : channel.text
            }
        }
    }
}
