/// One life of a node: from joining the log until it leaves, is expired, or the node joins again.
package struct Member: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let node: NodeName
    /// The number of this life, 1 or more. The log gives each number once, to one node, and later lives have greater
    /// numbers.
    package let incarnation: UInt64

    package init(node: NodeName, incarnation: UInt64) {
        self.node = node
        self.incarnation = incarnation
    }

    /// The member as `name/incarnation`.
    package var description: String { "\(node)/\(incarnation)" }

    /// Orders members by incarnation: the member that joined earlier comes first.
    package static func < (left: Member, right: Member) -> Bool {
        (left.incarnation, left.node) < (right.incarnation, right.node)
    }
}
