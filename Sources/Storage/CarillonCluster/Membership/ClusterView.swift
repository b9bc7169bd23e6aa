package import CarillonCore

/// The knowledge of the log database about the cluster, as of one moment.
package struct ClusterView: Hashable, Sendable {
    /// The name of the log.
    package var log: UUIDBytes
    /// The ends of the log.
    package var ends: LogEnds
    /// The last incarnation of each node, in the order of their names; at most ``maximumNodes``.
    package var nodes: [NodeStatus]
    /// The complete snapshots, the newest first; at most ``maximumSnapshots``.
    package var snapshots: [Snapshot]

    /// The most nodes of a cluster, including nodes that are over.
    package static let maximumNodes = 256
    /// The most snapshots in a view.
    package static let maximumSnapshots = 16

    package init(log: UUIDBytes, ends: LogEnds, nodes: [NodeStatus], snapshots: [Snapshot]) {
        self.log = log
        self.ends = ends
        self.nodes = nodes
        self.snapshots = snapshots
    }

    /// The nodes that are not over.
    package var liveNodes: [NodeStatus] { nodes.filter(\.isLive) }
}
