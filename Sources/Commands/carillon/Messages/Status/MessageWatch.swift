import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

/// Follows a message to its end and shows its progress.
struct MessageWatch {
    private let id: MessageID
    private let app: AppID
    private let client: CarillonClient
    private let interruption: Interruption

    /// Begins the watch. Control-C ends the command with a note from now on.
    init(_ id: MessageID, app: AppID, client: CarillonClient, interruption: Interruption = Interruption()) {
        self.id = id
        self.app = app
        self.client = client
        self.interruption = interruption
    }

    /// Returns the note for a user who no longer waits for a message.
    static func closingNote(_ id: MessageID, app: AppID) -> String {
        """
        message \(id) goes on without this command:
          carillon message watch \(id) --app \(app)   follows it
          carillon message cancel \(id) --app \(app)  stops it
        """
    }

    /// Shows the changes; returns the final status, which it has shown as well.
    ///
    /// - Throws: `ExitStatus.interrupted` after Control-C; the message goes on.
    func run(isJSON: Bool) async throws -> MessageStatus {
        let isLive = StandardError.isTerminal && !isJSON
        var shown: MessageStatus?
        var notes = ObstacleNotes()
        while true {
            let status = try await client.status(of: id, app: app)
            if !isJSON { notes.show(status.obstacles, at: Clock.wallTime()) }
            if isLive {
                StandardError.showProgress(
                    Self.bar(status, width: StandardError.columns), isLast: status.state == .finished)
            } else if status != shown, isJSON || status.state != .finished {
                StandardOutput.printLine(isJSON ? status.json(id).line : "\(status.state.name)  \(status.progress)")
            }
            shown = status
            if status.state == .finished {
                if !isJSON { StandardOutput.printLine(status.table(id, at: Clock.wallTime())) }
                return status
            }
            try await interruption.sleep(for: isLive ? .milliseconds(250) : .seconds(1))
            guard !interruption.hasOccurred else {
                if isLive { StandardError.showProgress(Self.bar(status, width: StandardError.columns), isLast: true) }
                StandardError.printLine(Self.closingNote(id, app: app))
                throw ExitStatus.interrupted
            }
        }
    }

    /// Returns the line that is updated, no longer than `width`: a bar and the progress.
    static func bar(_ status: MessageStatus, width: Int) -> String {
        let share = status.total > 0 ? Double(status.endedCount) / Double(status.total) : 0
        let percent = String(Int(share * 100))
        let state = [.scheduled, .paused].contains(status.state) ? "\(status.state.name)  " : ""
        let text = String(repeating: " ", count: 3 - percent.count) + "\(percent) %  \(state)\(status.progress)"
        let cells = min(width - text.count - 2, 30)
        guard cells >= 8 else { return String(text.prefix(max(width - 1, 0))) }
        let full = Int(share * Double(cells))
        return String(repeating: "█", count: full) + String(repeating: "░", count: cells - full) + " " + text
    }
}
