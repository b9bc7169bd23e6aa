import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

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
            let asked = try await client.serverInfo().node
            StandardOutput.printLine(server.json ? cluster.json(asked: asked).line : cluster.text(asked: asked))
        }
    }
}
