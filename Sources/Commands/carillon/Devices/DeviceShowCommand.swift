import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a device, its groups, and its topics with their sources.",
        discussion: """
            Examples:
              carillon device show 17 --app com.example.game
              carillon device show --app com.example.game --token 00fc13ad… --json
            """
    )

    @OptionGroup var device: DeviceArguments

    @Flag(help: "Shows the complete token. Default: only its beginning.")
    var fullTokens = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            var report = DeviceReport(app: app, device: try await client.lookup(reference, app: app))
            let device = DeviceReference.id(report.device.id)
            var cursor: TopicName?
            repeat {
                let page = try await client.memberships(of: device, app: app, after: cursor)
                report.groups = page.groups
                report.topics += page.topics
                cursor = page.next
            } while cursor != nil
            let address = report.device.address
            report.table(token: fullTokens ? address.tokenText : address.shortenedToken, at: Clock.wallTime()).show(
                isJSON: server.json)
        }
    }
}
