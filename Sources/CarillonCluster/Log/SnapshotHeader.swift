package import CarillonCore

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

    /// The most bytes of a chunk: 1 MiB. CockroachDB advises against larger values.
    package static let maximumChunkBytes = 1 << 20

    package init(member: Member, position: LogPosition, hash: UUIDBytes, format: UInt16) {
        (self.member, self.position, self.hash, self.format) = (member, position, hash, format)
    }
}
