import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Shows what happens on the server, one line an event.",
        discussion: """
            Examples:
              carillon events --follow
              carillon events --follow --kind delivery-failed --app com.example.game --json
              carillon events --name billing --follow
              carillon events --from 10200

            Without --follow it ends when nothing has come for a second. With --name the
            server remembers what was shown: the next command of that name goes on after
            it. Lost connections are made again. What the server keeps no longer is
            shown as a gap.
            """
    )

    @Flag(help: "Goes on until it is interrupted.")
    var follow = false

    @Option(help: ArgumentHelp("The server remembers under this name what was shown.", valueName: "name"))
    var name = ""

    @Option(
        help: ArgumentHelp(
            "After the event of this number, from the oldest that is kept, or from now on. Without it after what --name has seen, else from now on.",
            valueName: "number|oldest|now"))
    var from: StartArgument?

    @Option(help: "Only events of this kind; may be repeated.")
    var kind: [Event.Kind] = []

    @Option(help: ArgumentHelp("Only events of this app; may be repeated.", valueName: "bundle-id"))
    var app: [AppID] = []

    @OptionGroup(title: "Server") var server: ServerOptions

    /// Where to begin: `now`, or a number.
    struct StartArgument: ExpressibleByArgument, Equatable {
        var start: EventStart

        init?(argument: String) {
            if argument == "now" {
                start = .now
            } else if argument == "oldest" {
                start = .after(0)
            } else if let number = UInt64(argument), number < .max {
                start = .after(number)
            } else {
                return nil
            }
        }
    }

    func validate() throws {
        guard name.utf8.count <= 64 else { throw ValidationError("--name has at most 64 bytes.") }
        guard kind.count <= 64, app.count <= 64 else { throw ValidationError("--kind and --app: at most 64 of each.") }
    }

    func run() async throws {
        try await server.run { client in
            let interruption = Interruption()
            let events = try await client.events(name: name, from: from?.start ?? .acknowledged, apps: app, kinds: kind)
            let activity = Activity()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await show(events, activity) }
                while !interruption.hasCome, follow || activity.idle < .seconds(1), !activity.hasEnded {
                    try await Task.sleep(for: .milliseconds(50))
                }
                if !name.isEmpty, !activity.hasEnded { try await events.flush() }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    private func show(_ events: EventStream, _ activity: Activity) async throws {
        defer { activity.end() }
        for try await news in events {
            Terminal.say(server.json ? news.json.line : news.line)
            if case .event(let event) = news { events.acknowledge(upTo: event.sequence) }
            if case .gap(let missed) = news { events.acknowledge(upTo: missed.upperBound - 1) }
            activity.note()
        }
    }
}

extension EventStreamElement {
    /// The news with stable names.
    var json: JSON {
        switch self {
        case .event(let event):
            .members([
                "sequence": .number(event.sequence),
                "at_ms": .number(event.at.milliseconds),
                "kind": .text(event.kind.description),
                "app": event.app.map { .text($0.name) },
                "message_id": event.message.map { .number($0.rawValue) },
                "device_id": event.device.map { .number($0.rawValue) },
                "outcome": event.outcome.map { .text($0.name) },
                "count": event.count.map { .number($0) },
                "text": event.text.map { .text($0) },
            ])
        case .gap(let missed):
            .members([
                "kind": "gap", "missed_from": .number(missed.lowerBound), "missed_to": .number(missed.upperBound),
            ])
        case .newHistory: .members(["kind": "new-history"])
        }
    }

    /// The news for people.
    var line: String {
        switch self {
        case .event(let event):
            let parts: [String?] = [
                "\(event.sequence)", event.at.utc, event.kind.description, event.app?.name,
                event.message.map { "message \($0)" }, event.device.map { "device \($0)" }, event.outcome?.name,
                event.count.map { Int(clamping: $0).devices }, event.text,
            ]
            return parts.compactMap(\.self).joined(separator: "  ")
        case .gap(let missed):
            return
                "\(missed.upperBound - 1)  gap  events \(missed.lowerBound) to \(missed.upperBound - 1) are kept no longer"
        case .newHistory:
            return "-  new history  the server has another database than before"
        }
    }
}
