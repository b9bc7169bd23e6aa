import ArgumentParser
import CarillonClient
import CarillonCommandLine

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Removes a name of event subscriptions.",
        discussion: """
            Examples:
              carillon events forget billing

            The server keeps at most 100 names of each client, for 30 days after their last
            use. The next command with that name begins as if the name were new.
            """
    )

    @Argument(help: "The name, as in --name.")
    var name: String

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (1...64).contains(name.utf8.count) else { throw ValidationError("A name has 1 to 64 bytes.") }
    }

    func run() async throws {
        try await server.run { client in
            let wasKnown = try await client.forgetEventSubscriber(name)
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["name": .text(name), "forgotten": .bool(wasKnown)]).line
                    : "\(name)  \(wasKnown ? "forgotten" : "there is no such name")")
        }
    }
}
