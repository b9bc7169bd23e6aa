import ArgumentParser
import CarillonClient
import CarillonCommandLine

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the record of a device.",
        discussion: """
            Examples:
              carillon device show --app com.example.game --device 17
              carillon device show --app com.example.game --token 00fc13ad… --json
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let found = try await client.lookup(reference, app: device.app)
            Terminal.printLine(server.json ? found.json.line : found.table(at: .now))
        }
    }
}

/// The former name of `device show`.
struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "The same as device show.",
        shouldDisplay: false
    )

    @OptionGroup var command: DeviceShowCommand

    func run() async throws { try await command.run() }
}
