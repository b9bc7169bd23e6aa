import ArgumentParser

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
