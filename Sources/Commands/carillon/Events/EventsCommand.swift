import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Shows the server's events, one line each.",
        discussion: """
            Examples:
              carillon events
              carillon events --last 100 --kind delivery-failed
              carillon events --follow
              carillon events --follow --kind delivery-failed --app com.example.game --json
              carillon events --name billing --follow
              carillon events --from 10200

            Without --from, --name and --follow the command shows the last events, as
            journalctl -n does, and ends. With --from or --name it ends when no event has
            come for a second, unless there is --follow. With --name the server stores
            which events were shown: the next command with that name continues after
            them. A lost connection is made again. Events that the server no longer has
            are shown as a gap.
            """,
        subcommands: [ForgetCommand.self]
    )

    @Flag(help: "Continues until it is interrupted.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "The number of the last events to start with. Default: 20, with --follow none.", valueName: "count"))
    var last: Int?

    @Option(help: ArgumentHelp("The server stores under this name which events were shown.", valueName: "name"))
    var name = ""

    @Option(
        help: ArgumentHelp(
            "Start after the event of this number, at the oldest that is stored, or now. Default: after the events "
                + "that --name has seen.",
            valueName: "number|oldest|now"))
    var from: StartArgument?

    @Option(help: "Only events of this kind; may be repeated.")
    var kind: [Event.Kind] = []

    @Option(help: ArgumentHelp("Only events of this app; may be repeated.", valueName: "bundle-id"))
    var app: [AppID] = []

    @OptionGroup(title: "Server") var server: ServerOptions

    /// An argument for the start: `now`, `oldest` or a number.
    struct StartArgument: ExplainedArgument, Equatable {
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

        static func fault(of argument: String) -> String { "it is the number of an event, oldest or now" }
    }

    func validate() throws {
        guard name.utf8.count <= 64 else { throw ValidationError("--name has at most 64 bytes.") }
        guard kind.count <= 64, app.count <= 64 else { throw ValidationError("--kind and --app: at most 64 of each.") }
        guard last.map({ (1...10_000).contains($0) }) ?? true else { throw ValidationError("--last is 1 to 10000.") }
        guard last == nil || (from == nil && name.isEmpty) else {
            throw ValidationError("--last excludes --from and --name.")
        }
    }

    func run() async throws {
        try await server.run { client in
            let interruption = Interruption()
            var start = from?.start ?? .acknowledged
            if from == nil, name.isEmpty {
                // With --follow alone, the events from now on.
                let count = last ?? (follow ? 0 : 20)
                let recent = RecentEvents(client: client, apps: app, kinds: kind, interruption: interruption)
                let found = try await recent.read(count)
                for element in found.elements { print(element) }
                if found.elements.isEmpty, count > 0 { StandardError.printLine("no such event is stored") }
                guard follow else { return }
                start = .after(found.newest)
            }
            let events = try await client.events(
                name: name, from: start, apps: app.isEmpty ? nil : app, kinds: kind.isEmpty ? nil : kind)
            let activity = Activity()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await show(events, recordingIn: activity) }
                while !interruption.hasOccurred, follow || activity.idleTime < .seconds(1), !activity.hasEnded {
                    try await Task.sleep(for: .milliseconds(50))
                }
                if !name.isEmpty, !activity.hasEnded { try await events.flush() }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    private func show(_ events: EventStream, recordingIn activity: Activity) async throws {
        defer { activity.end() }
        for try await element in events {
            print(element)
            if case .event(let event) = element { try events.acknowledge(upTo: event.sequence) }
            if case .gap(let missed) = element { try events.acknowledge(upTo: missed.upperBound - 1) }
            activity.record()
        }
    }

    private func print(_ element: EventStreamElement) {
        StandardOutput.printLine(server.json ? element.json.line : element.line)
    }
}
