import CarillonCluster
import CarillonCore

/// A job that reads a chunk of a complete snapshot.
struct GetSnapshotChunkJob: Job {
    let snapshot: SnapshotID
    let number: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = Value.int(Int64(clamping: snapshot.number))
        return Pipeline.notCommitting([SQL.snapshotChunk(id, .int(Int64(number))), SQL.snapshotState(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<[UInt8]> {
        guard rows.count == 2, rows[0].count == 1, rows[1].count == 1 else { return .fail(.noSnapshot) }
        guard try rows[1].row(0).bool(0) else { return .fail(.noSnapshot) }
        return .finish(try rows[0].row(0).bytes(0))
    }
}
