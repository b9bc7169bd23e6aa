import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct OutcomesCommand: AsyncParsableCommand {
    /// A selection of outcomes.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        /// The outcomes other than `delivered` and `pending`.
        case failed
        case delivered
        case pending
    }

    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "Lists the outcome of a message for each device.",
        discussion: """
            Examples:
              carillon message outcomes 42 --app com.example.game
              carillon message outcomes 42 --app com.example.game --only failed --csv
              carillon message outcomes 42 --app com.example.game \\
                --outcome bad-token --outcome gave-up --json
            """
    )

    @OptionGroup var message: MessageArguments

    @Option(help: "Only devices of these outcomes.")
    var only: Choice?

    @Option(
        help: ArgumentHelp("Only devices of this outcome; may be repeated.", valueName: "outcome"),
        completion: .list(Outcome.names))
    var outcome: [Outcome] = []

    @Flag(help: "CSV: a line of names, then one line a device.")
    var csv = false

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard only == nil || outcome.isEmpty else {
            throw ValidationError("--only and --outcome exclude each other.")
        }
        guard !csv || !server.json else { throw ValidationError("--csv and --json exclude each other.") }
    }

    func run() async throws {
        try await server.run(for: message.app) { client, app in
            if csv { StandardOutput.printLine(RecipientOutcome.csvHead) }
            var shown = 0
            for try await recipient in client.outcomes(of: message.id, app: app)
            where admits(recipient.outcome) {
                StandardOutput.printLine(csv ? recipient.csv : server.json ? recipient.json.line : recipient.line)
                shown += 1
                if shown == rows.limit { return }
            }
        }
    }

    func admits(_ outcome: Outcome) -> Bool {
        guard self.outcome.isEmpty else { return self.outcome.contains(outcome) }
        return switch only {
        case .failed: outcome != .delivered && outcome != .pending
        case .delivered: outcome == .delivered
        case .pending: outcome == .pending
        case nil: true
        }
    }
}

/// Formats the outcome of a recipient as a line, as CSV and as JSON.
extension RecipientOutcome {
    /// The row as JSON; its names are stable. A token that was not registered has no device.
    var json: JSON {
        .members(["device_id": device.map { .number($0.rawValue) } ?? .null, "outcome": .text(outcome.name)])
    }

    static let csvHead = "device_id,outcome"

    /// The row as CSV; without a device the first field is empty.
    var csv: String { "\(device.map { "\($0)" } ?? ""),\(outcome.name)" }

    var line: String {
        let name = device.map { "\($0)" } ?? "-"
        return String(repeating: " ", count: max(0, 12 - name.count)) + name + "  " + outcome.name
    }
}
