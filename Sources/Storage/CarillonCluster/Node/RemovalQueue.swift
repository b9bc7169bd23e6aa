import CarillonCore

/// The removals of other nodes, as operators ask for them. They wait until the node has no append in flight.
struct RemovalQueue: Sendable {
    /// A member that an operator removes from the cluster.
    struct Removal: Hashable, Sendable {
        /// The caller's number of the removal.
        let number: UInt64
        let member: Member
        /// The latest time at which the caller is told that the end is unknown.
        let deadline: Uptime
    }

    static let maximumCount = 16

    private var waiting: [Removal] = []

    /// Adds the removal of a node, unless it is refused.
    ///
    /// - Parameters:
    ///   - name: the name of the node to remove.
    ///   - own: the name of the node that removes it.
    ///   - view: the last view of all nodes; nil if there is none.
    mutating func add(
        _ name: NodeName, number: UInt64, deadline: Uptime, by own: NodeName, in view: ClusterView?
    ) -> ClusterNode.RemovalAnswer {
        guard waiting.count < Self.maximumCount, let view else { return .refused(.notNow) }
        guard name != own else { return .refused(.itself) }
        guard let member = view.liveNodes.first(where: { $0.member.node == name })?.member else {
            return .refused(.unknown)
        }
        waiting.append(Removal(number: number, member: member, deadline: deadline))
        return .begun(member)
    }

    /// Removes and returns the removal that has waited longest; nil if no removal waits.
    mutating func takeFirst() -> Removal? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Removes and returns all removals, the one that has waited longest first.
    mutating func takeAll() -> [Removal] {
        defer { waiting = [] }
        return waiting
    }
}
