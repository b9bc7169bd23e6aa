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
