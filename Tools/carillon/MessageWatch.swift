import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows how far a message has come until it has finished.",
        discussion: """
            Examples:
              carillon message watch 42 --app com.example.game
              carillon message watch 42 --app com.example.game --json

            On a terminal it is one line that moves: devices that have ended, each
            outcome, how many a second, and how long the rest takes. Otherwise it is a
            line for each change, at most one a second. The outcomes follow at the end.

            \(ExitStatus.explanation)
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let missed = try await server.run { client in
            try await MessageWatch(message.id, message.app, client).run(isJSON: server.json).hasMissed
        }
        if missed { throw ExitStatus.notAllDelivered }
    }
}

/// Follows a message to its end and shows how far it has come.
struct MessageWatch {
    private let id: MessageID
    private let app: AppID
    private let client: CarillonClient

    init(_ id: MessageID, _ app: AppID, _ client: CarillonClient) {
        (self.id, self.app, self.client) = (id, app, client)
    }

    /// Shows what changes; answers the status at the end, which it has shown as well.
    func run(isJSON: Bool) async throws -> MessageStatus {
        let isLive = Terminal.isWatched && !isJSON
        var shown: MessageStatus?
        while true {
            let status = try await client.status(of: id, app: app)
            if isLive {
                Terminal.progress(Self.bar(status, width: Terminal.width), isLast: status.state == .finished)
            } else if status != shown, isJSON || status.state != .finished {
                Terminal.say(isJSON ? status.json(id).line : "\(status.state.name)  \(status.progress)")
            }
            shown = status
            if status.state == .finished {
                if !isJSON { Terminal.say(status.table(id, at: .now)) }
                return status
            }
            try await Task.sleep(for: isLive ? .milliseconds(250) : .seconds(1))
        }
    }

    /// The line that moves, no longer than `width`: a bar, and how far the message has come.
    static func bar(_ status: MessageStatus, width: Int) -> String {
        let share = status.total > 0 ? Double(status.ended) / Double(status.total) : 0
        let percent = String(Int(share * 100))
        let state = [.scheduled, .paused].contains(status.state) ? "\(status.state.name)  " : ""
        let text = String(repeating: " ", count: 3 - percent.count) + "\(percent) %  \(state)\(status.progress)"
        let cells = min(width - text.count - 2, 30)
        guard cells >= 8 else { return String(text.prefix(max(width - 1, 0))) }
        let full = Int(share * Double(cells))
        return String(repeating: "█", count: full) + String(repeating: "░", count: cells - full) + " " + text
    }
}
