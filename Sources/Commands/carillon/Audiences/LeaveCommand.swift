import ArgumentParser
import CarillonClient
import CarillonCommandLine

struct LeaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Removes devices from a group, as at a sign-out.",
        discussion: """
            Examples:
              carillon group leave user/42 --app com.example.game --device 17
              carillon group leave user/42 --app com.example.game --device 17 --clear-topics
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var devices: DevicesArguments

    @Flag(help: "Also removes the devices' own subscriptions.")
    var clearTopics = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !devices.isEmpty else { throw ValidationError("The devices are missing: --device or --token.") }
    }

    func run() async throws {
        let references = devices.references()
        let answer = try await server.run(for: group.app) { client, app in
            try await client.leave(group.group, devices: references, app: app, clearingTopics: clearTopics)
        }
        try references.showChanges(
            answer.left, unknown: answer.unknown, title: "left", key: "left", isJSON: server.json)
    }
}
