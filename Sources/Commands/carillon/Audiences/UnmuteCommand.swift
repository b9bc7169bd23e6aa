import ArgumentParser
import CarillonCommandLine

struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "Unmutes a group: its devices get pushes again.",
        discussion: """
            Examples:
              carillon group unmute user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await group.setMuted(false, on: server) }
}
