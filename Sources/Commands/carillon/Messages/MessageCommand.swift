import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Shows, updates and resends messages, and lists their outcomes.",
        discussion: """
            Examples:
              carillon message list --app com.example.game --limit 20
              carillon message watch 42 --app com.example.game
              carillon message cancel 42 --app com.example.game
            """,
        subcommands: [
            MessageListCommand.self, StatusCommand.self, WatchCommand.self, CancelCommand.self, PauseCommand.self,
            ResumeCommand.self, PaceCommand.self, ResendCommand.self, OutcomesCommand.self, MessageReceiptsCommand.self,
            TraceCommand.self,
        ]
    )
}
