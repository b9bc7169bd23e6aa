import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "The nodes of a cluster, and the removal of one.",
        discussion: """
            Examples:
              carillon cluster status
              carillon cluster remove b

            Any node answers. The key needs the role observe or admin for every app (*), and
            admin to remove a node.
            """,
        subcommands: [ClusterStatusCommand.self, ClusterRemoveCommand.self]
    )
}

struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows each node: how far it is, and when it was heard of last.",
        discussion: """
            Examples:
              carillon cluster status --server push-1.internal:7474,push-2.internal:7474

            Nodes with the same position have the same hash. MESSAGES and PAGES are what a
            node has claimed: it sends these. While PostgreSQL is away, the nodes
            answer nothing: `carillond cluster-status` asks PostgreSQL itself.
            """
    )

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            guard let cluster = try await client.statistics().cluster else {
                throw CarillonError(.server(.notFound), message: "the server belongs to no cluster")
            }
            let asked = try await client.serverInformation().node
            Terminal.printLine(server.json ? cluster.json(asked: asked).line : cluster.text(asked: asked))
        }
    }
}

struct ClusterRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Ends a node at once, so that the others take its messages over.",
        discussion: """
            Examples:
              carillon cluster remove b
              carillon cluster remove b --yes

            Nodes do this by themselves some seconds after the last sign of life of one. A
            node that lives joins again by itself: stop it first. On a terminal the command
            asks; --yes answers. It asks any node but the one that is removed.
            """
    )

    @Argument(help: "The name of the node.")
    var node: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (1...64).contains(node.utf8.count) else { throw ValidationError("A node has a name of 1 to 64 bytes.") }
    }

    func run() async throws {
        guard yes || !Terminal.canAsk || Terminal.ask("End the node \(node) at once?") else { return }
        try await server.run { client in
            let incarnation = try await client.removeNode(node)
            Terminal.printLine(
                server.json
                    ? JSON.members(["node": .text(node), "incarnation": .number(incarnation)]).line
                    : "\(node)  incarnation \(incarnation) is over")
        }
    }
}
