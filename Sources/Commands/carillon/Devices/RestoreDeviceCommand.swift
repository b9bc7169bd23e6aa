import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct RestoreDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Removes a device from quarantine: it gets pushes again.",
        discussion: """
            Examples:
              carillon device restore --app com.example.game --device 17
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            // The answer of RESTORE does not say whether the device was in quarantine.
            let wasQuarantined = try await client.lookup(reference, app: app).state == .quarantined
            let id = try await client.restore(reference, app: app)
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["device_id": .number(id.rawValue), "was_quarantined": .bool(wasQuarantined)]).line
                    : "device \(id)  \(wasQuarantined ? "restored" : "was not in quarantine: nothing has changed")")
        }
    }
}
