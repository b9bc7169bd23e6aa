package import CarillonCluster
package import CarillonCore
package import CarillonRegistry
package import CarillonWire

/// A node of a cluster, as delivery and the requests of clients use it.
package protocol DeliveryNode: AnyObject, Sendable {
    /// True if a push may begin, or a request be answered, at this moment.
    var mayAct: Bool { get }
    /// The present incarnation of the node and the live members, after the last entry that was applied; nil if the node
    /// has no incarnation.
    var membership: (member: Member, live: LiveMembers)? { get }
    /// True if this node runs the shared tasks, which one node does for all, such as releasing scheduled messages.
    var runsSharedTasks: Bool { get }
    /// The node as HELLO shows it; nil before it has joined a log.
    var helloNode: HelloAnswer.AnnouncedNode? { get }
    /// The position of the last entry of the shared log that was applied.
    var position: UInt64 { get }
    /// Calls `completion`, on any thread: with true when that entry was applied, or with false if a bounded time is
    /// over first.
    func awaitPosition(_ position: UInt64, _ completion: @escaping @Sendable (Bool) -> Void)
    /// The cluster as the log database has told this node last; nil before it has joined.
    var statistics: ServerStatistics.Cluster? { get }
    /// Ends the incarnation of another node; `completion` gets that incarnation, or why it is not over, on any thread.
    func remove(_ name: String, _ completion: @escaping @Sendable (Result<UInt64, ErrorReply>) -> Void)
    /// Returns messages of the outbox that this node may claim; at most about `limit`.
    func freeMessages(limit: Int) throws(RegistryError) -> [FreeMessage]
}
