import CarillonCluster
import CarillonCore

/// A job that completes a snapshot whose chunks are all stored. To complete it again is no failure.
struct CompleteSnapshotJob: Job {
    let snapshot: SnapshotID
    let chunks: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = Value.int(Int64(clamping: snapshot.number))
        return Pipeline.committing([SQL.completeSnapshot(id, .int(Int64(chunks))), SQL.snapshotState(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Void> {
        guard rows.count == 2, rows[1].count == 1 else { return .fail(.noSnapshot) }
        let row = rows[1].row(0)
        let (isComplete, count) = (try row.bool(0), try row.unsigned(1))
        guard isComplete, count == chunks else {
            return .fail(.refused("chunks of the snapshot are missing, or are too many"))
        }
        return .finish(())
    }
}
