import CarillonCluster
import CarillonCore

/// A job that stores a chunk of a snapshot.
struct PutSnapshotChunkJob: Job {
    let snapshot: SnapshotID
    let number: UInt32
    let bytes: [UInt8]

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        Pipeline.committing(
            [SQL.putSnapshotChunk(.int(Int64(clamping: snapshot.number)), .int(Int64(number)), .bytes(bytes))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Void> {
        rows.first?.count == 1 ? .finish(()) : .fail(.noSnapshot)
    }
}
