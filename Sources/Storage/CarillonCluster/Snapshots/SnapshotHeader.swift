package import CarillonCore

/// The header of a snapshot of a replica, which is stored when the snapshot begins.
package struct SnapshotHeader: Hashable, Sendable {
    /// The member that makes the snapshot.
    package var member: Member
    /// The position of the last entry that the snapshot contains.
    package var position: LogPosition
    /// The ``RunningHash`` after that entry.
    package var hash: UUIDBytes
    /// The newest format of entries that is needed to apply the entries after the snapshot.
    package var format: UInt16

    /// The most bytes of a chunk: 1 MiB. CockroachDB advises against larger values.
    package static let maximumChunkBytes = 1 << 20

    package init(member: Member, position: LogPosition, hash: UUIDBytes, format: UInt16) {
        self.member = member
        self.position = position
        self.hash = hash
        self.format = format
    }
}
