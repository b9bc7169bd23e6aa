import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ShowTopicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic",
        abstract: "Shows a topic and its devices; from a data directory also the subscribed groups.",
        discussion: """
            Examples:
              carillon-dump show topic level5 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The topic.", valueName: "topic"))
    var topic: TopicName

    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("The most devices and groups to show.", valueName: "count"))
    var limit = 1_000

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        let app = try source.server.app(app)
        try await source.run { rowSource in
            let found = try await rowSource.topics(of: app, prefix: topic.name, after: nil).rows.first
            guard let found, found.topic == topic else { throw CommandError.refused("there is no such topic") }
            var table = PropertyTable()
            table.add("app", value: app.name, key: "app")
            table.add("topic", value: topic.name, key: "topic")
            table.add("devices", value: UInt64(found.devices), key: "devices")
            let devices = try await collectRows(limit: limit) {
                try await rowSource.devices(in: topic, app: app, from: $0)
            }
            table.add("", value: devices.map(\.description), key: "device_ids")
            if let stored = rowSource as? DirectoryRowSource {
                let subscribers = try stored.registry.subscribingGroups(of: topic, app: app, limit: limit)
                table.add("groups", value: UInt64(subscribers.total), key: "groups")
                if subscribers.total > 0 { table.add("", value: subscribers.groups.map(\.name), key: "group_names") }
            }
            table.show(isJSON: source.server.json)
        }
    }
}
