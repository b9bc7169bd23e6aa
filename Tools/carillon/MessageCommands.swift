import ArgumentParser
import CarillonClient
import CarillonCore

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Shows how far a message has come, and how it ended for each device.",
        subcommands: [StatusCommand.self, OutcomesCommand.self]
    )
}

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how far a message has come.",
        discussion: """
            Examples:
              carillon message status 42 --app com.example.game
              carillon message status 42 --app com.example.game --watch
            """
    )

    @Argument(help: ArgumentHelp("The number of the message.", valueName: "message"))
    var id: MessageID

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Flag(help: "Stays until the message has finished, and shows every change.")
    var watch = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            var status = try await client.status(of: id, app: app)
            show(status)
            while watch, status.state != .finished {
                try await Task.sleep(for: .milliseconds(250))
                let next = try await client.status(of: id, app: app)
                if next != status { show(next) }
                status = next
            }
        }
    }

    private func show(_ status: MessageStatus) {
        if server.json { return Terminal.say(status.json(id).line) }
        Terminal.say(watch ? status.summary(id) : status.table(id, at: .now))
    }
}

struct OutcomesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "Lists how a message ended for each device.",
        discussion: """
            Examples:
              carillon message outcomes 42 --app com.example.game
              carillon message outcomes 42 --app com.example.game --failed --json
            """
    )

    @Argument(help: ArgumentHelp("The number of the message.", valueName: "message"))
    var id: MessageID

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Flag(help: "Only devices that were not delivered to.")
    var failed = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            for try await recipient in client.outcomes(of: id, app: app) {
                if failed, recipient.outcome == .delivered || recipient.outcome == .pending { continue }
                Terminal.say(server.json ? recipient.json.line : recipient.line)
            }
        }
    }
}

extension RecipientOutcome {
    /// The row with stable names; a token that was not registered has no device.
    var json: JSON {
        .members(["device_id": device.map { .number($0.rawValue) } ?? .null, "outcome": .text(outcome.name)])
    }

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
            "total": .number(total),
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
        rows.append(("devices", "\(total)"))
        rows += sorted.map { ($0.outcome.name, "\($0.count)") }
        return Terminal.table(rows)
    }

    /// The status on one line.
    func summary(_ id: MessageID) -> String {
        (["message \(id)", state.name] + sorted.map { "\($0.outcome.name) \($0.count)" }).joined(separator: "  ")
    }
}
