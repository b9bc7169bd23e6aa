import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

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
