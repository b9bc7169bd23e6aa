import CarillonCluster
import CarillonCore

/// Removes entries and snapshots, in many transactions. What is left when its time is over is removed the next time.
struct TrimJob: Job {
    /// Entries of one transaction.
    private static let entriesPerTransaction: Int64 = 512

    let position: LogPosition
    let snapshots: LogPosition
    private var phase = Phase.marking
    private var old: [Int64] = []

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// Marks how far the log is trimmed. Leaves to `entries`.
        case marking
        /// Removes entries, a piece at a time. Leaves to `looking`.
        case entries
        /// Looks for old snapshots. Leaves to `chunks`, or ends the job if there are none.
        case looking
        /// Removes the chunks of an old snapshot, a piece at a time. Leaves to `snapshot`.
        case chunks(SnapshotRemoval)
        /// Removes the row of that snapshot. Leaves to `chunks` for the next one, or ends the job.
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

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<Void> {
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
            phase = .looking
            return .send(Pipeline.notCommitting([SQL.oldSnapshots(.int(Int64(clamping: snapshots.number)))]))
        case .looking:
            old = try (rows.first ?? Rows()).map { row throws(LogError) in try row.int(0) }
            return removeNextSnapshot()
        case .chunks(let removal):
            guard rows.first?.isEmpty == true else { return .send(removal.pipeline) }
            phase = .snapshot
            return .send(removal.last)
        case .snapshot: return removeNextSnapshot()
        }
    }

    /// One node removes at a time: two that remove the same rows would leave bodies without entries.
    private var removeEntries: Pipeline {
        let (position, piece) = (Value.int(Int64(clamping: position.number)), Value.int(Self.entriesPerTransaction))
        return Pipeline.committing(
            [
                SQL.begin(), SQL.lockTrim(), SQL.removeBodies(position, piece), SQL.removeEntries(position, piece),
                SQL.commit(),
            ])
    }

    private mutating func removeNextSnapshot() -> Step<Void> {
        guard let id = old.popLast() else { return .finish(()) }
        let removal = SnapshotRemoval(id: id)
        phase = .chunks(removal)
        return .send(removal.pipeline)
    }
}
