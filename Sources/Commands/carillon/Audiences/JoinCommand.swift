import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Adds devices to a group, as at a sign-in.",
        discussion: """
            Examples:
              carillon group join user/42 --app com.example.game --device 17
              carillon group join user/42 --app com.example.game --device 17 \\
                --title "New sign-in" --body "On an iPhone, just now."

            The content is sent to the group's other devices, if a device is new in it.
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var devices: DevicesArguments
    @OptionGroup(title: "Announcement to the other devices") var content: ContentOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !devices.isEmpty else { throw ValidationError("The devices are missing: --device or --token.") }
    }

    func run() async throws {
        let references = devices.references()
        let announcement = try content.announcement()
        let answer = try await server.run(for: group.app) { client, app in
            try await client.join(group.group, devices: references, app: app, announcing: announcement)
        }
        if server.json {
            StandardOutput.printLine(
                JSON.members([
                    "joined": .number(UInt64(answer.joined)),
                    "message_id": answer.announcement.map { .number($0.rawValue) },
                    "unknown": .list(answer.unknown.compactMap { references.at($0)?.json }),
                ]).line
            )
        } else {
            let announced = answer.announcement.map { "; announced to the others: message \($0)" } ?? ""
            StandardOutput.printLine("joined \(answer.joined.grouped) of \(references.count.grouped)\(announced)")
        }
        try references.reportUnknown(answer.unknown, quietly: server.json)
    }
}
