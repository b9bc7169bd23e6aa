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

/// Makes the change for `group mute` and `group unmute`.
extension GroupArguments {
    func setMuted(_ isMuted: Bool, on server: ServerOptions) async throws {
        try await server.run(for: app) { client, app in
            let devices = try await client.setMuted(isMuted, group: group, app: app)
            StandardOutput.printLine(
                server.json
                    ? JSON.members([
                        "group": .text(group.name), "muted": .bool(isMuted), "devices": .number(UInt64(devices)),
                    ]).line
                    : "\(group)  \(isMuted ? "muted" : "not muted"), \(devices.devices)"
            )
        }
    }
}
