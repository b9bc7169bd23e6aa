package import CarillonCore

/// Names a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

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

    /// Bytes of a chunk at most, 1 MiB: CockroachDB advises against larger values.
    package static let maximumChunkBytes = 1 << 20

    package init(member: Member, position: LogPosition, hash: UUIDBytes, format: UInt16) {
        (self.member, self.position, self.hash, self.format) = (member, position, hash, format)
    }
}

/// A complete snapshot of a replica.
package struct Snapshot: Hashable, Sendable {
    /// Names it.
    package var id: SnapshotID
    /// What was said when it began.
    package var header: SnapshotHeader
    /// The number of its chunks.
    package var chunks: UInt32
    /// The bytes of all chunks.
    package var bytes: UInt64

    package init(id: SnapshotID, header: SnapshotHeader, chunks: UInt32, bytes: UInt64) {
        (self.id, self.header, self.chunks, self.bytes) = (id, header, chunks, bytes)
    }
}
