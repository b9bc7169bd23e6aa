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
            Terminal.printLine(
                server.json
                    ? JSON.members([
                        "channel": .text(channel.text), "environment": .text(scope.environment.name),
                        "storage_policy": .text(storagePolicy.name),
                    ]).line : channel.text)
        }
    }
}

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
            let policy = try await client.storagePolicy(of: channel, app: app, in: scope.environment)
            var table = PropertyTable()
            table.add("channel", channel.text, key: "channel")
            table.add("environment", scope.environment.name, key: "environment")
            table.add("storage policy", policy.name, key: "storage_policy")
            table.show(isJSON: server.json)
        }
    }
}

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
            let wasKnown = try await client.delete(channel, app: app, in: scope.environment)
            Terminal.printLine(
                server.json
                    ? JSON.members(["channel": .text(channel.text), "deleted": .bool(wasKnown)]).line
                    : "\(channel)  \(wasKnown ? "deleted" : "APNs knows no such channel")")
        }
    }
}
