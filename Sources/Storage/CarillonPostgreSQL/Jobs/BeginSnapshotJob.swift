import CarillonCluster
import CarillonCore

/// Begins a snapshot, after removing one that its node did not complete.
struct BeginSnapshotJob: Job {
    let header: SnapshotHeader
    private var phase = Phase.searching

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The job searches for an incomplete snapshot. Leads to `removing`, or to `beginning` if the log has none.
        case searching
        /// The job removes the chunks of that snapshot, some at a time. Leads to `removingRow`.
        case removing(SnapshotRemoval)
        /// The job removes the row of that snapshot. Leads to `beginning`.
        case removingRow
        /// The job writes the row of the new snapshot, and ends.
        case beginning
    }

    init(_ header: SnapshotHeader) { self.header = header }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .searching
        return Pipeline.notCommitting([SQL.snapshotUnderWay()])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<SnapshotID> {
        guard let rows = rows.first else { throw .corrupted("a call has no answer") }
        switch phase {
        case .searching:
            guard !rows.isEmpty else { return begin() }
            let maker = try rows.row(0).member(SQL.SnapshotColumn.maker)
            let isLive = try rows.row(0).bool(SQL.SnapshotUnderWayColumn.isMakerLive)
            guard maker == header.member || !isLive else { return .fail(.snapshotUnderWay(by: maker)) }
            let removal = SnapshotRemoval(id: try rows.row(0).int(SQL.SnapshotColumn.id))
            phase = .removing(removal)
            return .send(removal.pipeline)
        case .removing(let removal):
            guard rows.isEmpty else { return .send(removal.pipeline) }
            phase = .removingRow
            return .send(removal.last)
        case .removingRow: return begin()
        case .beginning:
            guard rows.count == 1 else { throw .corrupted("a snapshot has no number") }
            return .finish(SnapshotID(try rows.row(0).unsigned(0)))
        }
    }

    mutating func failed(_ fault: SQLFault, in statement: Statement) -> JobStep<SnapshotID>? {
        // Another node has just begun one.
        fault.state == SQLState.uniqueViolation ? .startAgain : nil
    }

    private mutating func begin() -> JobStep<SnapshotID> {
        phase = .beginning
        return .send(
            Pipeline.committing(
                [
                    SQL.beginSnapshot(
                        .text(header.member.node.text), .int(Int64(clamping: header.member.incarnation)),
                        .int(Int64(clamping: header.position.number)), .bytes(header.hash.bytes),
                        .int(Int64(header.format)))
                ]))
    }
}

/// Removes a snapshot, some chunks at a time, because one transaction over gigabytes would take seconds.
struct SnapshotRemoval: Sendable {
    private static let chunksPerTransaction: Int64 = 32

    let id: Int64

    var pipeline: Pipeline {
        Pipeline.committing([SQL.removeSnapshotChunks(.int(id), .int(Self.chunksPerTransaction))])
    }
    /// The pipeline that removes the snapshot itself once no chunk is left.
    var last: Pipeline { Pipeline.committing([SQL.removeSnapshot(.int(id))]) }
}
