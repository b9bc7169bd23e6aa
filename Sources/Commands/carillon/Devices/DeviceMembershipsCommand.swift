import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct DeviceMembershipsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memberships",
        abstract: "Lists the groups of a device, and its topics with their sources.",
        discussion: """
            Examples:
              carillon device memberships --app com.example.game --device 17
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            var page = try await client.memberships(of: reference, app: app)
            StandardOutput.printLine(server.json ? page.json.line : page.table)
            while let next = page.next {
                page = try await client.memberships(of: reference, app: app, after: next)
                StandardOutput.printLine(server.json ? page.json.line : TwoColumnTable.text(of: page.rows))
            }
        }
    }
}
