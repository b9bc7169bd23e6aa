package import CarillonCore

/// What a node says when it joins.
package struct JoiningNode: Hashable, Sendable {
    /// The node.
    package var name: NodeName
    /// Names the node's replica: 16 random bytes that its data directory keeps. The same replica may join again at any
    /// time. Another one gets the name only when the lease has ended: two nodes with one name would fence each other
    /// for ever.
    package var replica: UUIDBytes
    /// Where clients reach it, at most ``NodeProgress/maximumTextBytes`` bytes.
    package var address: String
    /// The format of the entry that says that it has joined.
    package var format: UInt16
    /// Milliseconds of its first lease, which begins with the join.
    package var lease: UInt64

    /// Makes it from its parts.
    package init(name: NodeName, replica: UUIDBytes, address: String, format: UInt16, lease: UInt64) {
        (self.name, self.replica, self.address, self.format, self.lease) = (name, replica, address, format, lease)
    }
}

/// What a node has when it has joined.
package struct Membership: Hashable, Sendable {
    /// The node with its new incarnation.
    package var member: Member
    /// The position of the entry that says so.
    package var position: LogPosition
    /// Names the log for as long as it exists: 16 random bytes.
    package var log: UUIDBytes

    /// Makes it from its parts.
    package init(member: Member, position: LogPosition, log: UUIDBytes) {
        (self.member, self.position, self.log) = (member, position, log)
    }
}

/// What became of an append with an unknown end.
package enum Settlement: Hashable, Sendable {
    /// The entry is in the log.
    case appended(LogPosition)
    /// It is not, and never will be.
    case never
    /// The node has joined again since, and the entries of that time are not kept any more. The node's replica begins
    /// with a snapshot.
    case forgotten
}

/// How much a read returns at most.
package struct ReadLimit: Hashable, Sendable {
    /// Entries, 1 to ``maximumEntries``.
    package var entries: Int
    /// Bytes of all encoded entries; one entry is returned if it has more.
    package var bytes: Int

    /// Entries of one read at most.
    package static let maximumEntries = 1_000
    /// Bytes of one read at most, 16 MiB.
    package static let maximumBytes = 16 << 20

    /// Makes a limit; numbers out of range become the nearest in range.
    package init(entries: Int = 256, bytes: Int = 4 << 20) {
        self.entries = min(max(entries, 1), Self.maximumEntries)
        self.bytes = min(max(bytes, 1), Self.maximumBytes)
    }
}

/// Both ends of a log.
package struct LogHead: Hashable, Sendable {
    /// The position of the last entry; 0 of an empty log.
    package var position: LogPosition
    /// Entries up to this position are not kept any more.
    package var trimmed: LogPosition

    /// Makes it from its parts.
    package init(position: LogPosition, trimmed: LogPosition) { (self.position, self.trimmed) = (position, trimmed) }
}

/// Entries of a log that follow on each other.
package struct LogPage: Hashable, Sendable {
    /// The position of the first entry.
    package var first: LogPosition
    package var entries: [LogEntry]
    /// The head of the log when they were read, or a moment later.
    package var head: LogHead

    /// Makes it from its parts.
    package init(first: LogPosition, entries: [LogEntry], head: LogHead) {
        (self.first, self.entries, self.head) = (first, entries, head)
    }
}

/// How far a node is: what it publishes with each renewal of its lease.
package struct NodeProgress: Hashable, Sendable {
    /// The node.
    package var member: Member
    /// The position of the last entry that its replica contains.
    package var applied: LogPosition
    /// The ``RunningHash`` after that entry.
    package var hash: UUIDBytes
    /// Milliseconds of the lease that it asks for.
    package var lease: UInt64
    /// Where clients reach it.
    package var address: String
    /// The version of its program.
    package var version: String
    /// The newest format of entries that it knows.
    package var newestFormat: UInt16

    /// UTF-8 bytes of an address and of a version at most.
    package static let maximumTextBytes = 255

    /// Makes it from its parts.
    package init(
        member: Member, applied: LogPosition, hash: UUIDBytes, lease: UInt64, address: String, version: String,
        newestFormat: UInt16
    ) {
        (self.member, self.applied, self.hash, self.lease) = (member, applied, hash, lease)
        (self.address, self.version, self.newestFormat) = (address, version, newestFormat)
    }
}

/// What the engine knows about a node.
package struct NodeStatus: Hashable, Sendable {
    /// What the node published last.
    package var progress: NodeProgress
    /// How often it has renewed its lease in this incarnation, its join included.
    package var renewals: UInt64
    /// Milliseconds since the last renewal, by the engine's clock.
    package var silence: UInt64
    /// True if the incarnation is over.
    package var isOver: Bool

    /// The node.
    package var member: Member { progress.member }

    /// Makes it from its parts.
    package init(progress: NodeProgress, renewals: UInt64, silence: UInt64, isOver: Bool) {
        (self.progress, self.renewals, self.silence, self.isOver) = (progress, renewals, silence, isOver)
    }
}

/// How long a member must have been silent to be expired.
package struct Silence: Hashable, Sendable {
    /// The number of its renewals when the silence began.
    package var renewals: UInt64
    /// Milliseconds by the engine's clock: lease and margin.
    package var milliseconds: UInt64

    /// Makes it from its parts.
    package init(renewals: UInt64, milliseconds: UInt64) {
        (self.renewals, self.milliseconds) = (renewals, milliseconds)
    }
}

/// What the engine knows about the cluster, as of one moment.
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

    /// Makes it from its parts.
    package init(log: UUIDBytes, head: LogHead, nodes: [NodeStatus], snapshots: [Snapshot]) {
        (self.log, self.head, self.nodes, self.snapshots) = (log, head, nodes, snapshots)
    }

    /// The nodes that are not over.
    package var liveNodes: [NodeStatus] { nodes.filter { !$0.isOver } }
}

/// Names a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    /// Makes an id.
    package init(_ number: UInt64) { self.number = number }
}

/// What is said of a snapshot of a replica when it begins.
package struct SnapshotHeader: Hashable, Sendable {
    /// The node that makes it.
    package var member: Member
    /// The position of the last entry that it contains.
    package var position: LogPosition
    /// The ``RunningHash`` after that entry.
    package var hash: UUIDBytes
    /// The newest format of entries that is needed to apply what follows.
    package var format: UInt16

    /// Bytes of a chunk at most, 1 MiB: CockroachDB advises against larger values.
    package static let maximumChunkBytes = 1 << 20

    /// Makes it from its parts.
    package init(member: Member, position: LogPosition, hash: UUIDBytes, format: UInt16) {
        (self.member, self.position, self.hash, self.format) = (member, position, hash, format)
    }
}

/// A complete snapshot of a replica.
package struct Snapshot: Hashable, Sendable {
    /// Names it.
    package var id: SnapshotID
    /// What was said when it began.
    package var header: SnapshotHeader
    /// The number of its chunks.
    package var chunks: UInt32
    /// The bytes of all chunks.
    package var bytes: UInt64

    /// Makes it from its parts.
    package init(id: SnapshotID, header: SnapshotHeader, chunks: UInt32, bytes: UInt64) {
        (self.id, self.header, self.chunks, self.bytes) = (id, header, chunks, bytes)
    }
}
