package import CarillonCore

/// How far a node is: what it publishes with each renewal of its lease.
package struct NodeProgress: Hashable, Sendable {
    /// The node.
    package var member: Member
    /// The position of the last entry that its replica contains.
    package var applied: LogPosition
    /// The ``RunningHash`` after that entry.
    package var hash: UUIDBytes
    /// Milliseconds of the lease that it asks for.
    package var leaseMilliseconds: UInt64
    /// Where clients reach it.
    package var address: String
    /// The version of its program.
    package var version: String
    /// The newest format of entries that it knows.
    package var newestFormat: UInt16

    /// UTF-8 bytes of an address and of a version at most.
    package static let maximumTextBytes = 255

    package init(
        member: Member, applied: LogPosition, hash: UUIDBytes, leaseMilliseconds: UInt64, address: String,
        version: String,
        newestFormat: UInt16
    ) {
        (self.member, self.applied, self.hash, self.leaseMilliseconds) = (member, applied, hash, leaseMilliseconds)
        (self.address, self.version, self.newestFormat) = (address, version, newestFormat)
    }
}

/// What the log database knows about a node.
package struct NodeStatus: Hashable, Sendable {
    /// What the node published last.
    package var progress: NodeProgress
    /// How often it has renewed its lease in this incarnation, its join included.
    package var renewals: UInt64
    /// Milliseconds since the last renewal, by the log database's clock.
    package var silenceMilliseconds: UInt64
    /// True if the incarnation is over.
    package var isOver: Bool

    /// The node.
    package var member: Member { progress.member }

    package init(progress: NodeProgress, renewals: UInt64, silenceMilliseconds: UInt64, isOver: Bool) {
        (self.progress, self.renewals, self.silenceMilliseconds, self.isOver) = (
            progress, renewals, silenceMilliseconds, isOver
        )
    }
}

/// How long a member must have been silent to be expired.
package struct Silence: Hashable, Sendable {
    /// The number of its renewals when the silence began.
    package var renewals: UInt64
    /// Milliseconds by the log database's clock: lease and margin.
    package var milliseconds: UInt64

    package init(renewals: UInt64, milliseconds: UInt64) {
        (self.renewals, self.milliseconds) = (renewals, milliseconds)
    }
}

/// What the log database knows about the cluster, as of one moment.
package struct ClusterView: Hashable, Sendable {
    /// Names the log.
    package var log: UUIDBytes
    /// The ends of the log.
    package var head: LogHead
    /// The last incarnation of each node, in the order of their names; at most ``maximumNodes``.
    package var nodes: [NodeStatus]
    /// The complete snapshots, the newest first; at most ``maximumSnapshots``.
    package var snapshots: [Snapshot]

    /// Nodes of a cluster at most, those that are over included.
    package static let maximumNodes = 256
    /// Snapshots in a view at most.
    package static let maximumSnapshots = 16

    package init(log: UUIDBytes, head: LogHead, nodes: [NodeStatus], snapshots: [Snapshot]) {
        (self.log, self.head, self.nodes, self.snapshots) = (log, head, nodes, snapshots)
    }

    /// The nodes that are not over.
    package var liveNodes: [NodeStatus] { nodes.filter { !$0.isOver } }
}
