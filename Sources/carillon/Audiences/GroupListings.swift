import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "Lists the devices of a group.",
        discussion: """
            Examples:
              carillon group members user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: group.app) { client, app in
            try await rows.show(client.devices(of: group.group, app: app), isJSON: server.json)
        }
    }
}

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
            if !server.json { Terminal.printLine(Terminal.row("devices", "group")) }
            try await rows.show(client.groups(of: app, prefix: names.prefix), isJSON: server.json) { row in
                server.json
                    ? JSON.members([
                        "group": .text(row.group.name), "devices": .number(UInt64(row.devices)),
                        "muted": .bool(row.isMuted),
                    ]).line
                    : Terminal.row(row.devices.grouped, row.group.name + (row.isMuted ? "  muted" : ""))
            }
        }
    }
}

struct GroupTopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists the topics that a group, and so its devices, is subscribed to.",
        discussion: """
            Examples:
              carillon group topics user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: group.app) { client, app in
            try await rows.show(client.topics(of: group.group, app: app), isJSON: server.json) { topic in
                server.json ? JSON.members(["topic": .text(topic.name)]).line : topic.name
            }
        }
    }
}
