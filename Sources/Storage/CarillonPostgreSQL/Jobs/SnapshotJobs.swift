import CarillonCluster
import CarillonCore

/// Stores a chunk of a snapshot.
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

/// Completes a snapshot whose chunks are all stored. To complete it again is no failure.
struct CompleteSnapshotJob: Job {
    let snapshot: SnapshotID
    let chunks: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = SQLValue.int(Int64(clamping: snapshot.number))
        return Pipeline.committing([SQL.completeSnapshot(id, .int(Int64(chunks))), SQL.snapshotState(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Void> {
        guard rows.count == 2, rows[1].count == 1 else { return .fail(.noSnapshot) }
        let row = rows[1].row(0)
        let isComplete = try row.bool(0)
        let count = try row.unsigned(1)
        guard isComplete, count == chunks else {
            return .fail(.refused("chunks of the snapshot are missing, or are too many"))
        }
        return .finish(())
    }
}

/// Reads a chunk of a complete snapshot.
struct GetSnapshotChunkJob: Job {
    let snapshot: SnapshotID
    let number: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = SQLValue.int(Int64(clamping: snapshot.number))
        return Pipeline.notCommitting([SQL.snapshotChunk(id, .int(Int64(number))), SQL.snapshotState(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<[UInt8]> {
        guard rows.count == 2, rows[0].count == 1, rows[1].count == 1 else { return .fail(.noSnapshot) }
        guard try rows[1].row(0).bool(0) else { return .fail(.noSnapshot) }
        return .finish(try rows[0].row(0).bytes(0))
    }
}
