/// Names a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
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
