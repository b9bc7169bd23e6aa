import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The change of `group mute` and `group unmute`.
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
