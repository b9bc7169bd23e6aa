import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct QuarantinedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantined",
        abstract: "Lists the devices whose tokens were declared dead; nothing is sent to them.",
        discussion: """
            Examples:
              carillon device quarantined --app com.example.game --limit 20
            """
    )

    @OptionGroup var app: AppOption

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: app) { client, app in
            try await rows.show(client.quarantinedDevices(of: app), isJSON: server.json)
        }
    }
}
