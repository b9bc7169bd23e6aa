import ArgumentParser
import CarillonCommandLine
import CarillonCore

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stops a message; devices without an outcome end as cancelled.",
        discussion: """
            Examples:
              carillon message cancel 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.cancel, on: server) }
}
