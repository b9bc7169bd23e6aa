package import CarillonCore

/// The data about itself that a node sends when it joins.
package struct JoiningNode: Hashable, Sendable {
    package var name: NodeName
    /// The id of the node's data directory: 16 random bytes that it keeps. The same directory may join again at any
    /// time. Another directory gets the node's name only when the lease has ended: two nodes with one name would fence
    /// each other for ever.
    package var replicaID: UUIDBytes
    /// The address at which clients reach the node, at most ``NodeProgress/maximumTextBytes`` bytes.
    package var address: String
    /// The format of the entry that says that the node has joined.
    package var format: UInt16
    /// The milliseconds of the node's first lease, which begins with the join.
    package var leaseMilliseconds: UInt64

    package init(name: NodeName, replicaID: UUIDBytes, address: String, format: UInt16, leaseMilliseconds: UInt64) {
        self.name = name
        self.replicaID = replicaID
        self.address = address
        self.format = format
        self.leaseMilliseconds = leaseMilliseconds
    }
}
