import ArgumentParser
import CarillonCommandLine
import CarillonCore

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continues after a pause; a scheduled message starts now.",
        discussion: """
            Examples:
              carillon message resume 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.resume, on: server) }
}
