/// The removal of a snapshot, some chunks at a time, because one transaction over gigabytes would take seconds.
struct SnapshotRemoval: Sendable {
    private static let chunksPerTransaction: Int64 = 32

    let id: Int64

    var pipeline: Pipeline {
        Pipeline.committing([SQL.removeSnapshotChunks(.int(id), .int(Self.chunksPerTransaction))])
    }
    /// The pipeline that removes the snapshot itself once no chunk is left.
    var last: Pipeline { Pipeline.committing([SQL.removeSnapshot(.int(id))]) }
}
