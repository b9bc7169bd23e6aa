import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ChannelCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a channel and prints its id.",
        discussion: """
            Examples:
              carillon channel create --app com.example.game --storage-policy most-recent
              carillon channel create --app com.example.game --storage-policy none \\
                --environment sandbox

            An app has at most 10,000 channels in each environment. The command is not
            repeated if its answer is lost, because APNs would create another channel.
            """
    )

    @Option(
        help: ArgumentHelp(
            "What APNs stores: none, or most-recent for 8 hours at most. It cannot be changed later.",
            valueName: "none|most-recent"))
    var storagePolicy: StoragePolicy

    @OptionGroup var scope: ChannelScope
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: scope.app) { client, app in
            let channel = try await client.createChannel(
                for: app, in: scope.environment, storagePolicy: storagePolicy)
            StandardOutput.printLine(
                server.json
                    ? JSON.members([
                        "channel": .text(channel.text), "environment": .text(scope.environment.name),
                        "storage_policy": .text(storagePolicy.name),
                    ]).line : channel.text)
        }
    }
}
