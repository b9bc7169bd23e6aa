import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct UnregisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Removes a registration: no push to the device begins after it.",
        discussion: """
            Examples:
              carillon unregister --app com.example.game --device 17
              carillon unregister --app com.example.game --token 00fc13ad… \\
                --environment sandbox
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            let id = try await client.unregister(reference, app: app)
            let result = id == nil ? "not_registered" : "removed"
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["device_id": id.map { .number($0.rawValue) }, "result": .text(result)]).line
                    : id.map { "device \($0)  removed" } ?? "was not registered"
            )
        }
    }
}
