import ArgumentParser
import CarillonCommandLine
import CarillonCore

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses a message until it is resumed, also across a restart of the server.",
        discussion: """
            Examples:
              carillon message pause 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.pause, on: server) }
}
