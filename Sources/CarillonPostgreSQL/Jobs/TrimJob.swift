import CarillonCluster
import CarillonCore

/// A job that removes entries and snapshots, in many transactions. If its time is over before that, the next trimming
/// removes the rest.
struct TrimJob: Job {
    private static let entriesPerTransaction: Int64 = 512

    let position: LogPosition
    let snapshots: LogPosition
    private var phase = Phase.marking
    private var old: [Int64] = []

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The job marks how far the log is trimmed. Leaves to `entries`.
        case marking
        /// The job removes entries, some at a time. Leaves to `searching`.
        case entries
        /// The job searches for old snapshots. Leaves to `chunks`, or ends if there are none.
        case searching
        /// The job removes the chunks of an old snapshot, some at a time. Leaves to `snapshot`.
        case chunks(SnapshotRemoval)
        /// The job removes the row of that snapshot. Leaves to `chunks` for the next one, or ends.
        case snapshot
    }

    init(through position: LogPosition, snapshotsBefore snapshots: LogPosition) {
        (self.position, self.snapshots) = (position, snapshots)
    }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .marking
        return Pipeline.committing(
            [SQL.markTrimmed(.int(Int64(clamping: position.number))), SQL.head(), SQL.snapshots(.int(1))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Void> {
        switch phase {
        case .marking:
            guard rows.count == 3 else { throw .corrupted("the log has no head") }
            let newest = rows[2].isEmpty ? LogPosition(0) : try rows[2].row(0).position(3)
            let trimmed = try LogHead(rows[1]).trimmed
            guard trimmed >= position, snapshots <= newest else {
                return .fail(.refused("no complete snapshot has the entries up to \(position)"))
            }
            phase = .entries
            return .send(removeEntries)
        case .entries:
            guard rows.count == 5 else { throw .corrupted("a call has no answer") }
            if !rows[3].isEmpty { return .send(removeEntries) }
            phase = .searching
            return .send(Pipeline.notCommitting([SQL.oldSnapshots(.int(Int64(clamping: snapshots.number)))]))
        case .searching:
            old = try (rows.first ?? Rows()).map { row throws(LogError) in try row.int(0) }
            return removeNextSnapshot()
        case .chunks(let removal):
            guard rows.first?.isEmpty == true else { return .send(removal.pipeline) }
            phase = .snapshot
            return .send(removal.last)
        case .snapshot: return removeNextSnapshot()
        }
    }

    /// The pipeline that removes the next entries. It takes a lock, so that one node removes at a time: two that remove
    /// the same rows would leave bodies without entries.
    private var removeEntries: Pipeline {
        let (position, piece) = (Value.int(Int64(clamping: position.number)), Value.int(Self.entriesPerTransaction))
        return Pipeline.committing(
            [
                SQL.begin(), SQL.lockTrim(), SQL.removeBodies(position, piece), SQL.removeEntries(position, piece),
                SQL.commit(),
            ])
    }

    private mutating func removeNextSnapshot() -> JobStep<Void> {
        guard let id = old.popLast() else { return .finish(()) }
        let removal = SnapshotRemoval(id: id)
        phase = .chunks(removal)
        return .send(removal.pipeline)
    }
}
