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
