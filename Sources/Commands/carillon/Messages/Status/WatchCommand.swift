import ArgumentParser
import CarillonClient
import CarillonCommandLine

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the progress of a message until it has finished.",
        discussion: """
            Examples:
              carillon message watch 42 --app com.example.game
              carillon message watch 42 --app com.example.game --json

            On a terminal one line is updated: devices that have ended, each outcome,
            devices a second, and the time that is left. Otherwise there is a line for
            each change, at most one a second. The outcomes follow at the end. Control-C
            ends the command, not the message.

            \(ExitStatus.explanation)
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let missed = try await server.run(for: message.app) { client, app in
            try await MessageWatch(message.id, app: app, client: client).run(isJSON: server.json).hasMissed
        }
        if missed { throw ExitStatus.notAllDelivered }
    }
}
