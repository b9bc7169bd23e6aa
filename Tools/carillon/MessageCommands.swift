import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Follows messages, steers them, and shows how they ended for each device.",
        discussion: """
            Examples:
              carillon message list --app com.example.game --limit 20
              carillon message watch 42 --app com.example.game
              carillon message cancel 42 --app com.example.game
            """,
        subcommands: [
            MessageListCommand.self, StatusCommand.self, WatchCommand.self, CancelCommand.self, PauseCommand.self,
            ResumeCommand.self, PaceCommand.self, ResendCommand.self, OutcomesCommand.self, MessageReceiptsCommand.self,
        ]
    )
}

/// A message of an app.
struct MessageArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The number of the message.", valueName: "message"))
    var id: MessageID

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID
}

struct MessageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the messages of an app, the newest first.",
        discussion: """
            Examples:
              carillon message list --app com.example.game --limit 20
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            if !server.json { Terminal.say(MessageSummary.head) }
            let now = Timestamp.now
            try await rows.show(client.messages(of: app), isJSON: server.json) {
                server.json ? $0.json.line : $0.line(at: now)
            }
        }
    }
}

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how far a message has come.",
        discussion: """
            Examples:
              carillon message status 42 --app com.example.game
              carillon message status 42 --app com.example.game --json

            carillon message watch follows it to its end.
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            let status = try await client.status(of: message.id, app: message.app)
            Terminal.say(server.json ? status.json(message.id).line : status.table(message.id, at: .now))
        }
    }
}

struct OutcomesCommand: AsyncParsableCommand {
    /// A choice of outcomes.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        /// All that have ended, but not well.
        case failed
        case delivered
        case pending
    }

    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "Lists how a message ended for each device.",
        discussion: """
            Examples:
              carillon message outcomes 42 --app com.example.game
              carillon message outcomes 42 --app com.example.game --only failed --csv
              carillon message outcomes 42 --app com.example.game \\
                --outcome bad-token --outcome gave-up --json
            """
    )

    @OptionGroup var message: MessageArguments

    @Option(help: "Only devices that ended so.")
    var only: Choice?

    @Option(help: ArgumentHelp("Only devices of this outcome; may be repeated.", valueName: "outcome"))
    var outcome: [Outcome] = []

    /// What --only failed was first.
    @Flag(help: .hidden)
    var failed = false

    @Flag(help: "CSV: a line of names, then one line a device.")
    var csv = false

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard [only != nil, failed, !outcome.isEmpty].filter({ $0 }).count <= 1 else {
            throw ValidationError("--only and --outcome exclude each other.")
        }
        guard !csv || !server.json else { throw ValidationError("--csv and --json exclude each other.") }
    }

    func run() async throws {
        try await server.run { client in
            if csv { Terminal.say(RecipientOutcome.csvHead) }
            var shown = 0
            for try await recipient in client.outcomes(of: message.id, app: message.app)
            where admits(recipient.outcome) {
                Terminal.say(csv ? recipient.csv : server.json ? recipient.json.line : recipient.line)
                shown += 1
                if shown == rows.limit { return }
            }
        }
    }

    /// Whether devices of that outcome are shown.
    func admits(_ outcome: Outcome) -> Bool {
        guard self.outcome.isEmpty else { return self.outcome.contains(outcome) }
        return switch failed ? .failed : only {
        case .failed: outcome != .delivered && outcome != .pending
        case .delivered: outcome == .delivered
        case .pending: outcome == .pending
        case nil: true
        }
    }
}

extension MessageSummary {
    /// The names above the rows for people.
    static let head = "     message  state             devices       ended  type          accepted"

    /// The row with stable names.
    var json: JSON {
        .members([
            "message_id": .number(id.rawValue),
            "state": .text(state.name),
            "accepted_at_ms": .number(acceptedAt.milliseconds),
            "push_type": .text(pushType.name),
            "lane": .text(String(describing: lane)),
            "total": .number(total),
            "ended": .number(ended),
        ])
    }

    /// The row for people.
    func line(at now: Timestamp) -> String {
        [
            "\(id)".right(12), state.name.left(9), Int(clamping: total).grouped.right(14),
            Int(clamping: ended).grouped.right(10), pushType.name.left(12), acceptedAt.relative(to: now),
        ].joined(separator: "  ")
    }
}

extension RecipientOutcome {
    /// The row with stable names; a token that was not registered has no device.
    var json: JSON {
        .members(["device_id": device.map { .number($0.rawValue) } ?? .null, "outcome": .text(outcome.name)])
    }

    /// The names above the rows of CSV.
    static let csvHead = "device_id,outcome"

    /// The row as CSV; without a device the first field is empty.
    var csv: String { "\(device.map { "\($0)" } ?? ""),\(outcome.name)" }

    /// The row for people.
    var line: String {
        let name = device.map { "\($0)" } ?? "-"
        return String(repeating: " ", count: max(0, 12 - name.count)) + name + "  " + outcome.name
    }
}

extension MessageStatus {
    private var sorted: [(outcome: Outcome, count: UInt64)] {
        outcomes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The status with stable names.
    func json(_ id: MessageID) -> JSON {
        .members([
            "message_id": .number(id.rawValue),
            "state": .text(state.name),
            "accepted_at_ms": .number(acceptedAt.milliseconds),
            "finished_at_ms": finishedAt == .zero ? nil : .number(finishedAt.milliseconds),
            "send_at_ms": sendAt.map { .number($0.milliseconds) },
            "audience": audience.map { .text($0) },
            "pace": pace.map { .number(UInt64($0)) },
            "rate": rate.map { .number(UInt64($0)) },
            "remaining_ms": remainingMilliseconds.map { .number($0) },
            "total": .number(total),
            "received": received > 0 ? .number(received) : nil,
            "opened": opened > 0 ? .number(opened) : nil,
            "outcomes": .object(sorted.map { JSON.Member(name: $0.outcome.name, value: .number($0.count)) }),
        ])
    }

    /// The status for people.
    func table(_ id: MessageID, at now: Timestamp) -> String {
        var rows = [("message", "\(id)  \(state.name)"), ("accepted", acceptedAt.relative(to: now))]
        if finishedAt != .zero {
            let length = Timestamp.length(finishedAt.milliseconds(since: acceptedAt))
            rows.append(("finished", "\(finishedAt.relative(to: now)), after \(length)"))
        }
        if let sendAt, state == .scheduled { rows.append(("begins", sendAt.relative(to: now))) }
        if let audience { rows.append(("audience", audience)) }
        if let pace { rows.append(("pace", "\(pace) a second at most")) }
        if let rate {
            let left = remainingMilliseconds.map { ", \(Timestamp.length($0)) left" } ?? ""
            rows.append(("rate", "\(rate) a second\(left)"))
        }
        rows.append(("devices", "\(total)"))
        rows += sorted.map { ($0.outcome.name, "\($0.count)") }
        if received > 0 { rows.append(("received", "\(received)")) }
        if opened > 0 { rows.append(("opened", "\(opened)")) }
        return Terminal.table(rows)
    }

    /// Whether a device has not got it.
    var hasMissed: Bool { outcomes[.delivered, default: 0] != total }

    /// Devices that have their outcome.
    var ended: UInt64 { total - min(outcomes[.pending, default: 0], total) }

    /// How far it has come, on one line for people who watch.
    var progress: String {
        var parts = ["\(Int(clamping: ended).grouped) of \(Int(clamping: total).grouped)"]
        parts += sorted.filter { $0.outcome != .pending }.map {
            "\($0.outcome.name) \(Int(clamping: $0.count).grouped)"
        }
        if let rate { parts.append("\(Int(rate).grouped)/s") }
        if let remainingMilliseconds { parts.append("\(Timestamp.length(remainingMilliseconds)) left") }
        return parts.joined(separator: "  ")
    }
}
