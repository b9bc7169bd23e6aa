package import CarillonCore

/// The state of a node's replica: the log that it belongs to, and the part of the log that it contains.
package struct ReplicaState: Hashable, Sendable {
    /// The log that the replica belongs to; nil if it belongs to no log yet.
    package var log: UUIDBytes?
    /// The position of the last entry that the replica contains, and the hash after that entry.
    package var applied = RunningHash()
    /// The state with which its log begins; nil if the replica contains no entry that says so.
    package var initialState: InitialState.Kind?
    /// True if the replica has data that come from no log, because a server without a cluster has written them. If this
    /// node has begun a log with them, they are in that log, and ``initialState`` says so.
    package var hasForeignData = false

    package init() {}
}
