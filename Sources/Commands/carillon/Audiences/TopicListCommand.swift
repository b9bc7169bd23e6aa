import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct TopicListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the topics of an app, with their numbers of devices.",
        discussion: """
            Examples:
              carillon topic list --app com.example.game --prefix guild/
            """
    )

    @OptionGroup var names: NamesOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: names.app) { client, app in
            if !server.json { StandardOutput.printLine(TwoColumnTable.row("devices", name: "topic")) }
            try await rows.show(client.topics(of: app, prefix: names.prefix), isJSON: server.json) { row in
                server.json
                    ? JSON.members(["topic": .text(row.topic.name), "devices": .number(UInt64(row.devices))]).line
                    : TwoColumnTable.row(row.devices.grouped, name: row.topic.name)
            }
        }
    }
}
