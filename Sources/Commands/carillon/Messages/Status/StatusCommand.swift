import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the state of a message and its outcomes so far.",
        discussion: """
            Examples:
              carillon message status 42 --app com.example.game
              carillon message status 42 --app com.example.game --json

            carillon message watch follows the message to its end.
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: message.app) { client, app in
            let status = try await client.status(of: message.id, app: app)
            StandardOutput.printLine(
                server.json ? status.json(message.id).line : status.table(message.id, at: Clock.wallTime()))
        }
    }
}
