import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Lists the stored messages, the newest first.",
        discussion: """
            Examples:
              carillon-dump messages --data /var/lib/carillon --state sending --state waiting
              carillon-dump messages --server push.internal:7474 --app com.example.game --limit 20 --csv
            """
    )

    @OptionGroup var apps: AppOptions

    @Option(help: "Only messages in this state; may be repeated.")
    var state: [MessageState] = []

    @Option(help: ArgumentHelp("Only messages accepted before this time.", valueName: "time"))
    var before: TimeArgument?

    @Option(help: ArgumentHelp("Only messages accepted at or after this time.", valueName: "time"))
    var after: TimeArgument?

    @OptionGroup var rows: DumpRowOptions
    @OptionGroup var source: SourceOptions

    static let columns = [
        "app", "message_id", "state", "accepted_at_ms", "push_type", "lane", "total", "ended", "delivered", "failed",
        "label", "sender",
    ]

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(Self.columns)
            for app in try await apps.apps(of: rowSource, server: source.server) {
                try await list(app, from: rowSource, to: output)
            }
            try output.flush()
        }
    }

    /// Writes the messages of an app that the options admit, as long as the output takes rows.
    private func list(_ app: AppID, from rowSource: any RowSource, to output: RowOutput) async throws {
        var last: MessageID?
        repeat {
            let page = try await rowSource.messages(of: app, before: last)
            for message in page.rows where admits(message) { try output.append(message.values(of: app)) }
            last = page.next
        } while last != nil && !output.isFull
    }

    private func admits(_ message: MessageSummary) -> Bool {
        (state.isEmpty || state.contains(message.state)) && before.map { message.acceptedAt < $0.time } ?? true
            && after.map { message.acceptedAt >= $0.time } ?? true
    }
}

extension MessageSummary {
    /// Returns the message as values of the columns of `messages`.
    func values(of app: AppID) -> [JSON?] {
        [
            .text(app.name), .number(id.rawValue), .text(state.name), .number(acceptedAt.milliseconds),
            .text(pushType.name), .text("\(lane)"), .number(total), .number(ended),
            delivered.map { .number($0) }, failed.map { .number($0) }, label.map { .text($0) },
            sender.map { .text($0) },
        ]
    }
}
