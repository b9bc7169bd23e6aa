/// The name of a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// A complete snapshot of a replica.
package struct Snapshot: Hashable, Sendable {
    /// The name of the snapshot.
    package var id: SnapshotID
    /// The header that was stored when the snapshot began.
    package var header: SnapshotHeader
    /// The number of the snapshot's chunks.
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
