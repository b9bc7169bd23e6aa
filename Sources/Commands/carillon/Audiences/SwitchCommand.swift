import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct SwitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Moves a device from one group to another in one step.",
        discussion: """
            Examples:
              carillon group switch --from role/9001 --to role/9002 \\
                --app com.example.game --device 17
            """
    )

    @Option(
        help: ArgumentHelp("The group that the device leaves.", valueName: "group"), completion: NameCompletion.groups)
    var from: GroupName

    @Option(
        help: ArgumentHelp("The group that the device joins.", valueName: "group"), completion: NameCompletion.groups)
    var to: GroupName

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Announcement to the other devices") var content: ContentOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        let announcement = try content.announcement()
        try await server.run(for: device.app) { client, app in
            let answer = try await client.switchGroup(
                of: reference, from: from, to: to, app: app, announcing: announcement)
            StandardOutput.printLine(server.json ? answer.json.line : answer.line(from: from, to: to))
        }
    }
}

extension SwitchGroupResult {
    /// The result as JSON; its names are stable.
    fileprivate var json: JSON {
        .members([
            "device_id": .number(device.rawValue), "left": .bool(hasLeft), "joined": .bool(hasJoined),
            "message_id": announcement.map { .number($0.rawValue) },
        ])
    }

    /// Returns the result as a line of text.
    fileprivate func line(from: GroupName, to: GroupName) -> String {
        var parts = [
            hasLeft ? "left \(from)" : "was not in \(from)", hasJoined ? "joined \(to)" : "was in \(to) already",
        ]
        if let announcement { parts.append("announced to the others: message \(announcement)") }
        return "device \(device)  \(parts.joined(separator: ", "))"
    }
}
