import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct GroupListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the groups of an app, with their numbers of devices.",
        discussion: """
            Examples:
              carillon group list --app com.example.game --prefix user/ --limit 20
            """
    )

    @OptionGroup var names: NamesOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: names.app) { client, app in
            if !server.json { StandardOutput.printLine(TwoColumnTable.row("devices", name: "group")) }
            try await rows.show(client.groups(of: app, prefix: names.prefix), isJSON: server.json) { row in
                server.json
                    ? JSON.members([
                        "group": .text(row.group.name), "devices": .number(UInt64(row.devices)),
                        "muted": .bool(row.isMuted),
                    ]).line
                    : TwoColumnTable.row(row.devices.grouped, name: row.group.name + (row.isMuted ? "  muted" : ""))
            }
        }
    }
}
