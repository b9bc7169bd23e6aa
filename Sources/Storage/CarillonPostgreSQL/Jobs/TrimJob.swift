import CarillonCluster
import CarillonCore

/// Removes entries and snapshots, in many transactions. If its time is over before that, the next trimming removes the
/// rest.
struct TrimJob: Job {
    private static let entriesPerTransaction: Int64 = 512

    let position: LogPosition
    let snapshotsBefore: LogPosition
    private var phase = Phase.marking
    /// The old snapshots that are still there.
    private var oldSnapshots: [Int64] = []

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The job marks how far the log is trimmed. Leads to `removingEntries`.
        case marking
        /// The job removes entries, some at a time. Leads to `searching`.
        case removingEntries
        /// The job searches for old snapshots. Leads to `removingChunks`, or ends if there are none.
        case searching
        /// The job removes the chunks of an old snapshot, some at a time. Leads to `removingSnapshot`.
        case removingChunks(SnapshotRemoval)
        /// The job removes the row of that snapshot. Leads to `removingChunks` for the next one, or ends.
        case removingSnapshot
    }

    /// The places of the answers that are read after marking, in the order of the statements of ``start(with:)``; and
    /// the number of these statements.
    private enum MarkingPlace {
        static let head = 1
        static let snapshots = 2
        static let count = 3
    }

    /// The place of the answer that is read after each removal of entries, in the order of the statements of
    /// ``removeEntries``; and the number of these statements.
    private enum RemovalPlace {
        static let entries = 3
        static let count = 5
    }

    init(through position: LogPosition, snapshotsBefore snapshots: LogPosition) {
        self.position = position
        self.snapshotsBefore = snapshots
    }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .marking
        return Pipeline.committing(
            [SQL.markTrimmed(.int(Int64(clamping: position.number))), SQL.head(), SQL.snapshots(.int(1))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Void> {
        switch phase {
        case .marking:
            guard rows.count == MarkingPlace.count else { throw .corrupted("the log has no head") }
            let snapshots = rows[MarkingPlace.snapshots]
            let newest = snapshots.isEmpty ? LogPosition(0) : try snapshots.row(0).position(SQL.SnapshotColumn.position)
            let trimmed = try LogEnds(rows[MarkingPlace.head]).trimmed
            guard trimmed >= position, snapshotsBefore <= newest else {
                return .fail(.refused("no complete snapshot has the entries up to \(position)"))
            }
            phase = .removingEntries
            return .send(removeEntries)
        case .removingEntries:
            guard rows.count == RemovalPlace.count else { throw .corrupted("a statement has no answer") }
            if !rows[RemovalPlace.entries].isEmpty { return .send(removeEntries) }
            phase = .searching
            return .send(Pipeline.notCommitting([SQL.oldSnapshots(.int(Int64(clamping: snapshotsBefore.number)))]))
        case .searching:
            oldSnapshots = try (rows.first ?? Rows()).map { row throws(LogError) in try row.int(0) }
            return removeNextSnapshot()
        case .removingChunks(let removal):
            guard rows.first?.isEmpty == true else { return .send(removal.pipeline) }
            phase = .removingSnapshot
            return .send(removal.last)
        case .removingSnapshot: return removeNextSnapshot()
        }
    }

    /// The pipeline that removes the next entries. It takes a lock, so that only one node removes at a time: two nodes
    /// that remove the same rows would leave bodies without entries.
    private var removeEntries: Pipeline {
        let position = SQLValue.int(Int64(clamping: position.number))
        let count = SQLValue.int(Self.entriesPerTransaction)
        return Pipeline.committing(
            [
                SQL.begin(), SQL.lockTrim(), SQL.removeBodies(position, count), SQL.removeEntries(position, count),
                SQL.commit(),
            ])
    }

    private mutating func removeNextSnapshot() -> JobStep<Void> {
        guard let id = oldSnapshots.popLast() else { return .finish(()) }
        let removal = SnapshotRemoval(id: id)
        phase = .removingChunks(removal)
        return .send(removal.pipeline)
    }
}
