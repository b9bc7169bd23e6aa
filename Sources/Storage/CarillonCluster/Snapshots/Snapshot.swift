package import CarillonCore

/// The name of a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// A complete snapshot of a replica.
package struct Snapshot: Hashable, Sendable {
    package var id: SnapshotID
    package var header: SnapshotHeader
    package var chunks: UInt32
    /// The number of bytes of all chunks.
    package var bytes: UInt64

    package init(id: SnapshotID, header: SnapshotHeader, chunks: UInt32, bytes: UInt64) {
        self.id = id
        self.header = header
        self.chunks = chunks
        self.bytes = bytes
    }
}

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
