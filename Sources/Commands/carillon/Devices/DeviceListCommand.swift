import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists all devices of an app; needs the role admin. carillon-dump devices has more filters.",
        discussion: """
            Examples:
              carillon device list --app com.example.game --kind fcm
              carillon device list --app com.example.game --stale --json
            """
    )

    @OptionGroup var app: AppOption

    @Option(help: "Only tokens of this kind.")
    var kind: TokenKind?

    @Flag(help: "Only devices of Android whose token FCM is likely to have forgotten: not seen for 270 days.")
    var stale = false

    @Flag(help: "Shows complete tokens. Default: only their beginning.")
    var fullTokens = false

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: app) { client, app in
            let now = Clock.wallTime()
            var shown = 0
            for try await device in client.devices(of: app) where isWanted(device, at: now) {
                StandardOutput.printRow(line(device, at: now))
                shown += 1
                if shown == rows.limit { return }
            }
        }
    }

    private func isWanted(_ device: DeviceRecord, at now: Timestamp) -> Bool {
        if let kind, device.address.kind != kind { return false }
        return !stale || device.isStale(at: now)
    }

    private func line(_ device: DeviceRecord, at now: Timestamp) -> String {
        let address = device.address
        let token = fullTokens ? address.tokenText : address.shortenedToken
        guard server.json else {
            return "\(device.id)  \(address.kind.name)  \(address.environment.name)  \(device.state)  \(token)  "
                + "seen \(device.seenAt.relative(to: now))"
        }
        return JSON.members([
            "device_id": .number(device.id.rawValue), "kind": .text(address.kind.name),
            "environment": .text(address.environment.name), "state": .text("\(device.state)"),
            "platform": .text(device.platform), "token": .text(token), "seen_at": .number(device.seenAt.milliseconds),
        ]).line
    }
}
