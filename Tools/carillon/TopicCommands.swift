import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct TopicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic",
        abstract: "Topics: who is subscribed to what. A topic is made by its first subscriber.",
        discussion: """
            Examples:
              carillon topic subscribe level5 --app com.example.game --device 17
              carillon topic list --app com.example.game --prefix guild/
            """,
        subcommands: [
            SubscribeCommand.self, UnsubscribeCommand.self, TopicListCommand.self, TopicDevicesCommand.self,
        ]
    )
}

/// Topics, and who is to have them.
struct SubscriptionArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("Topics, as level5; FCM's /topics/level5 is the same.", valueName: "topic"))
    var topics: [TopicName]

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var devices: DevicesArguments

    @Option(help: ArgumentHelp("A group, whose devices inherit it; may be repeated.", valueName: "group"))
    var group: [GroupName] = []

    func validate() throws {
        guard !devices.isEmpty || !group.isEmpty else { throw ValidationError("Who? --device, --token or --group.") }
    }
}

struct SubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Subscribes devices and groups to topics.",
        discussion: """
            Examples:
              carillon topic subscribe level5 --app com.example.game --device 17
              carillon topic subscribe guild/77 news --app com.example.game --group user/42
            """
    )

    @OptionGroup var subscription: SubscriptionArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let references = subscription.devices.references()
        let answer = try await server.run { client in
            try await client.subscribe(
                to: subscription.topics, devices: references, groups: subscription.group, app: subscription.app)
        }
        try references.show(answer, "new subscriptions:", isJSON: server.json)
    }
}

struct UnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe",
        abstract: "Ends subscriptions of devices and groups.",
        discussion: """
            Examples:
              carillon topic unsubscribe level5 --app com.example.game --device 17

            A device stays in a topic while one of its groups holds it there.
            """
    )

    @OptionGroup var subscription: SubscriptionArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let references = subscription.devices.references()
        let answer = try await server.run { client in
            try await client.unsubscribe(
                from: subscription.topics, devices: references, groups: subscription.group, app: subscription.app)
        }
        try references.show(answer, "subscriptions ended:", isJSON: server.json)
    }
}

struct TopicListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the topics of an app, with how many devices each has.",
        discussion: """
            Examples:
              carillon topic list --app com.example.game --prefix guild/
            """
    )

    @OptionGroup var names: NamesOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            if !server.json { Terminal.say(Terminal.row("devices", "topic")) }
            try await rows.show(client.topics(of: names.app, prefix: names.prefix), isJSON: server.json) { row in
                server.json
                    ? JSON.members(["topic": .text(row.topic.name), "devices": .number(UInt64(row.devices))]).line
                    : Terminal.row(row.devices.grouped, row.topic.name)
            }
        }
    }
}

struct TopicDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the devices in a topic, whatever holds them there.",
        discussion: """
            Examples:
              carillon topic devices level5 --app com.example.game --limit 10
            """
    )

    @Argument(help: ArgumentHelp("The topic, as level5.", valueName: "topic"))
    var topic: TopicName

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            try await rows.show(client.devices(in: topic, app: app), isJSON: server.json)
        }
    }
}
