package import CarillonCluster
package import CarillonCore
package import CarillonRegistry

/// A node of a cluster, as delivery uses it. The requests of clients use it as a `ServingNode`.
package protocol DeliveryNode: AnyObject, Sendable {
    /// True if a push may begin at this moment.
    var mayAct: Bool { get }
    /// The present incarnation of the node and the live members, after the last entry that was applied; nil if the node
    /// has no incarnation.
    var membership: (member: Member, live: LiveMembers)? { get }
    /// True if this node runs the shared tasks, which one node does for all, such as releasing scheduled messages. It
    /// is the node that joined first (`LiveMembers.oldest`).
    var runsSharedTasks: Bool { get }
    /// Returns messages of the outbox that this node may claim; at most about `limit`.
    func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage]
}
