package import CarillonCore

/// The state of the cluster in the log database at one moment.
package struct ClusterView: Hashable, Sendable {
    /// The name of the log.
    package var log: UUIDBytes
    package var ends: LogEnds
    /// The last incarnation of each node, in the order of their names; at most ``maximumNodes``.
    package var nodes: [NodeStatus]
    /// The complete snapshots, the newest first; at most ``maximumSnapshots``.
    package var snapshots: [Snapshot]

    /// The most nodes of a cluster, including nodes that are over.
    package static let maximumNodes = 256
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

/// The state of a node in the log database.
package struct NodeStatus: Hashable, Sendable {
    /// The progress that the node published last.
    package var progress: NodeProgress
    /// The number of renewals of the node's lease in this incarnation, its join included.
    package var renewals: UInt64
    /// The milliseconds since the last renewal, by the log database's clock.
    package var silenceMilliseconds: UInt64
    /// False once the incarnation is over.
    package var isLive: Bool

    package var member: Member { progress.member }

    package init(progress: NodeProgress, renewals: UInt64, silenceMilliseconds: UInt64, isLive: Bool) {
        self.progress = progress
        self.renewals = renewals
        self.silenceMilliseconds = silenceMilliseconds
        self.isLive = isLive
    }
}
