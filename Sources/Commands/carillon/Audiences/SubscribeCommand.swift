import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The arguments for a subscription: topics, devices and groups.
struct SubscriptionArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Topics, such as level5; FCM's /topics/level5 is the same.", valueName: "topic"),
        completion: NameCompletion.topics)
    var topics: [TopicName]

    @OptionGroup var app: AppOption

    @OptionGroup var devices: DevicesArguments

    @Option(
        help: ArgumentHelp("A group, whose devices inherit the topics; may be repeated.", valueName: "group"),
        completion: NameCompletion.groups)
    var group: [GroupName] = []

    func validate() throws {
        guard !devices.isEmpty || !group.isEmpty else {
            throw ValidationError("The subscribers are missing: --device, --token or --group.")
        }
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
        let answer = try await server.run(for: subscription.app) { client, app in
            try await client.subscribe(
                to: subscription.topics, devices: references, groups: subscription.group, app: app)
        }
        try references.showChanges(
            answer.changed, unknown: answer.unknown, title: "new subscriptions:", key: "changed", isJSON: server.json)
    }
}

struct UnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe",
        abstract: "Removes subscriptions of devices and groups.",
        discussion: """
            Examples:
              carillon topic unsubscribe level5 --app com.example.game --device 17

            A device stays in a topic while one of its groups is subscribed to it.
            """
    )

    @OptionGroup var subscription: SubscriptionArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let references = subscription.devices.references()
        let answer = try await server.run(for: subscription.app) { client, app in
            try await client.unsubscribe(
                from: subscription.topics, devices: references, groups: subscription.group, app: app)
        }
        try references.showChanges(
            answer.changed, unknown: answer.unknown, title: "subscriptions ended:", key: "changed", isJSON: server.json)
    }
}
