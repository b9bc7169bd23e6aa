import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct TopicDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the devices in a topic, from all sources.",
        discussion: """
            Examples:
              carillon topic devices level5 --app com.example.game --limit 10
            """
    )

    @Argument(help: ArgumentHelp("The topic, such as level5.", valueName: "topic"), completion: NameCompletion.topics)
    var topic: TopicName

    @OptionGroup var app: AppOption

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: app) { client, app in
            try await rows.show(client.devices(in: topic, app: app), isJSON: server.json)
        }
    }
}
