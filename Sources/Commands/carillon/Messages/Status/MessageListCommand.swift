import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct MessageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the messages of an app, the newest first.",
        discussion: """
            Examples:
              carillon message list --app com.example.game --limit 20
              carillon message list --app com.example.game --label Raid --sender live-ops
              carillon message list --app com.example.game --state sending
            """
    )

    @OptionGroup var app: AppOption

    @Option(help: "Only messages in this state.")
    var state: MessageState?

    @Option(help: ArgumentHelp("Only messages of this principal.", valueName: "principal"))
    var sender: String?

    @Option(help: ArgumentHelp("Only messages whose label begins with this.", valueName: "text"))
    var label: String?

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        if let label { try LabelRule.check(label) }
        guard sender.map({ (1...Principal.maximumNameBytes).contains($0.utf8.count) }) ?? true else {
            throw ValidationError("--sender has 1 to \(Principal.maximumNameBytes) bytes.")
        }
    }

    func run() async throws {
        try await server.run(for: app) { client, app in
            if !server.json { StandardOutput.printLine(MessageSummary.head) }
            let now = Clock.wallTime()
            let listing = client.messages(of: app, state: state, sender: sender, label: label)
            try await rows.show(listing, isJSON: server.json) {
                server.json ? $0.json.line : $0.line(at: now)
            }
        }
    }
}
