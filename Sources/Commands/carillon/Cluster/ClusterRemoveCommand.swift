import ArgumentParser
import CarillonClient
import CarillonCommandLine

struct ClusterRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Ends a node at once, so that the others take its messages over.",
        discussion: """
            Examples:
              carillon cluster remove b
              carillon cluster remove b --yes

            The other nodes do this by themselves if a node gives no sign of life for some
            seconds. A node that lives joins again by itself: stop it first. On a terminal
            the command asks whether you are sure; --yes answers. Its request goes to any
            node but the one that is removed.
            """
    )

    @Argument(help: "The name of the node.")
    var node: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (1...63).contains(node.utf8.count) else { throw ValidationError("A node has a name of 1 to 63 bytes.") }
    }

    func run() async throws {
        guard yes || !Confirmation.canAsk || Confirmation.ask("End the node \(node) at once?") else { return }
        try await server.run { client in
            let incarnation = try await client.removeNode(node)
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["node": .text(node), "incarnation": .number(incarnation)]).line
                    : "\(node)  incarnation \(incarnation) is over")
        }
    }
}
