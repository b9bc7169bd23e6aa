import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Mutes a group: its devices get no pushes.",
        discussion: """
            Examples:
              carillon group mute user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await group.setMuted(true, on: server) }
}
