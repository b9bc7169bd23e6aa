import ArgumentParser
import CarillonArguments
import CarillonClock
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ShowDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows a device, its groups, and its topics with their sources.",
        discussion: """
            Examples:
              carillon-dump show device 17 --data /var/lib/carillon --app com.example.game
              carillon-dump show device --data /var/lib/carillon --app com.example.game --token 00fc13ad…
            """
    )

    @Argument(help: ArgumentHelp("The device id; the same as --device.", valueName: "id"))
    var id: DeviceID?

    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("The device id.", valueName: "id"))
    var device: DeviceID?

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: "The environment of the token. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard [token != nil, device != nil, id != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give the device by its id, by --device or by --token, one of the three.")
        }
    }

    private var reference: DeviceReference? {
        if let device = device ?? id { return .id(device) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }

    func run() async throws {
        guard let reference else { return }
        let app = try source.server.app(app)
        try await source.run { rowSource in
            guard let device = try await rowSource.device(reference, of: app) else {
                throw CommandError.refused("there is no such device")
            }
            var report = DeviceReport(app: app, device: device)
            if let stored = rowSource as? DirectoryRowSource {
                report.quarantinedAt = try stored.registry.quarantinedSince(device.id, of: app)
                report.silentPushes = try stored.registry.silentPushes(to: device.id, of: app)
            }
            var after: TopicName?
            repeat {
                guard let page = try await rowSource.memberships(of: device.id, app: app, after: after) else { break }
                report.groups = page.groups
                report.topics += page.topics
                after = page.next
            } while after != nil
            report.table(token: source.token(of: device.address), at: Clock.wallTime()).show(
                isJSON: source.server.json)
        }
    }
}
