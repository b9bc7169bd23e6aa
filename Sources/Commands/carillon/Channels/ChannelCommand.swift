import ArgumentParser

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Broadcast channels of Live Activities, which APNs keeps.",
        discussion: """
            Examples:
              carillon channel create --app com.example.game --storage-policy most-recent
              carillon channel list --app com.example.game
              carillon send --app com.example.game --channel dHN0LXNyY2gtY2hubA== \\
                --type liveactivity --expiration 1h --payload-file goal.json
            """,
        subcommands: [
            ChannelCreateCommand.self, ChannelListCommand.self, ChannelShowCommand.self, ChannelDeleteCommand.self,
        ]
    )
}
