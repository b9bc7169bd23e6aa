import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

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
