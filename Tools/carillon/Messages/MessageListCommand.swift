import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MessageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the messages of an app, the newest first.",
        discussion: """
            Examples:
              carillon message list --app com.example.game --limit 20
            """
    )

    @OptionGroup var app: AppOption

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: app) { client, app in
            if !server.json { Terminal.printLine(MessageSummary.head) }
            let now = Timestamp.now
            try await rows.show(client.messages(of: app), isJSON: server.json) {
                server.json ? $0.json.line : $0.line(at: now)
            }
        }
    }
}
