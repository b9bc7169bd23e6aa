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
        if let label { try LabelOption.check(label) }
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

/// Formats a message of a list for users and as JSON.
extension MessageSummary {
    /// The names of the columns, as a row of text.
    static let head = row([
        "message", "state", "accepted", "devices", "delivered", "failed", "label", "sender",
    ])

    /// The row as JSON; its names are stable.
    var json: JSON {
        .members([
            "message_id": .number(id.rawValue),
            "state": .text(state.name),
            "accepted_at_ms": .number(acceptedAt.milliseconds),
            "push_type": .text(pushType.name),
            "lane": .text(String(describing: lane)),
            "total": .number(total),
            "ended": .number(ended),
            "delivered": delivered.map { .number($0) },
            "failed": failed.map { .number($0) },
            "label": label.map { .text($0) },
            "sender": sender.map { .text($0) },
        ])
    }

    func line(at now: Timestamp) -> String {
        func count(_ number: UInt64?) -> String { number.map { Int(clamping: $0).grouped } ?? "-" }
        return Self.row([
            "\(id)", state.name, acceptedAt.relative(to: now), count(total), count(delivered), count(failed),
            label ?? "-", sender ?? "-",
        ])
    }

    /// Returns a row with a text for each column. A long label moves the sender to the right: neither of them is cut.
    private static func row(_ texts: [String]) -> String {
        [
            texts[0].rightAligned(in: 12), texts[1].leftAligned(in: 9), texts[2].leftAligned(in: 11),
            texts[3].rightAligned(in: 11), texts[4].rightAligned(in: 11),
            texts[5].rightAligned(in: 11), texts[6].leftAligned(in: 24), texts[7],
        ].joined(separator: "  ")
    }
}
