import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ShowGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Shows a group, its devices and its topics.",
        discussion: """
            Examples:
              carillon-dump show group user/42 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The group.", valueName: "group"))
    var group: GroupName

    @OptionGroup var app: AppOption

    @OptionGroup var source: SourceOptions

    func run() async throws {
        let app = try source.server.app(app)
        try await source.run { rowSource in
            let found = try await rowSource.groups(of: app, prefix: group.name, after: nil).rows.first
            guard let found, found.group == group else { throw CommandError.refused("there is no such group") }
            var table = PropertyTable()
            table.add("app", value: app.name, key: "app")
            table.add(
                "group", text: group.name + (found.isMuted ? "  muted" : ""), key: "group", json: .text(group.name))
            table.add("muted", text: nil, key: "muted", json: found.isMuted ? .bool(true) : nil)
            table.add("devices", value: UInt64(found.devices), key: "devices")
            let devices = try await collectRows { try await rowSource.devices(of: group, app: app, from: $0) }
            table.add("", value: devices.map(\.description), key: "device_ids")
            let topics = try await collectRows { try await rowSource.topics(of: group, app: app, after: $0) }
            table.add("topics", value: topics.map(\.name), key: "topics")
            table.show(isJSON: source.server.json)
        }
    }
}
