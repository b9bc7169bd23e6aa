import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

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

/// The app and the environment of broadcast channels.
struct ChannelScope: ParsableArguments {
    @OptionGroup var app: AppOption

    @Option(help: "The environment of the channels.")
    var environment = APNsEnvironment.production
}

extension ChannelID: ExplainedArgument {
    package init?(argument: String) { self.init(argument) }

    package static func fault(of argument: String) -> String {
        "the id of a channel has 1 to \(maximumBytes) letters, digits, '+', '/', '=', '-' and '_'"
    }
}

extension StoragePolicy: ExplainedArgument {
    package init?(argument: String) { self.init(name: argument) }

    package static func fault(of argument: String) -> String { "a storage policy is none or most-recent" }
}
