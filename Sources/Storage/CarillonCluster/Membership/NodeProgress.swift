package import CarillonCore

/// The progress of a node, which it publishes with each renewal of its lease.
package struct NodeProgress: Hashable, Sendable {
    package var member: Member
    /// The position of the last entry that the node's replica contains.
    package var applied: LogPosition
    /// The ``RunningHash`` after that entry.
    package var hash: UUIDBytes
    /// The milliseconds of the lease that the node asks for.
    package var leaseMilliseconds: UInt64
    /// The address at which clients reach the node.
    package var address: String
    /// The version of the node's program.
    package var version: String
    /// The newest format of entries that the node knows.
    package var newestFormat: UInt16

    /// The most UTF-8 bytes of an address, and of a version.
    package static let maximumTextBytes = 255

    package init(
        member: Member, applied: LogPosition, hash: UUIDBytes, leaseMilliseconds: UInt64, address: String,
        version: String, newestFormat: UInt16
    ) {
        self.member = member
        self.applied = applied
        self.hash = hash
        self.leaseMilliseconds = leaseMilliseconds
        self.address = address
        self.version = version
        self.newestFormat = newestFormat
    }
}
