import CarillonCluster
import CarillonCore

/// Removes a snapshot, some chunks at a time: one transaction over gigabytes would take seconds.
struct SnapshotRemoval: Sendable {
    /// Chunks of one transaction.
    private static let chunksPerTransaction: Int64 = 32

    let id: Int64

    /// Removes the next chunks.
    var pipeline: Pipeline { Pipeline.committing([SQL.removeChunks(.int(id), .int(Self.chunksPerTransaction))]) }
    /// Removes the snapshot, when no chunk is left.
    var last: Pipeline { Pipeline.committing([SQL.removeSnapshot(.int(id))]) }
}

/// Begins a snapshot, after removing one that its node did not complete.
struct BeginSnapshotJob: Job {
    let header: SnapshotHeader
    private var phase = Phase.looking

    private enum Phase {
        case looking
        case removing(SnapshotRemoval)
        case removed
        case beginning
    }

    init(_ header: SnapshotHeader) { self.header = header }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .looking
        return Pipeline.notCommitting([SQL.snapshotUnderWay()])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<SnapshotID> {
        guard let rows = rows.first else { throw .corrupted("a call has no answer") }
        switch phase {
        case .looking:
            guard !rows.isEmpty else { return begin() }
            let maker = try rows.row(0).member(1)
            let isLive = try rows.row(0).bool(3)
            guard maker == header.member || !isLive else { return .fail(.snapshotUnderWay(by: maker)) }
            let removal = SnapshotRemoval(id: try rows.row(0).int(0))
            phase = .removing(removal)
            return .send(removal.pipeline)
        case .removing(let removal):
            guard rows.isEmpty else { return .send(removal.pipeline) }
            phase = .removed
            return .send(removal.last)
        case .removed: return begin()
        case .beginning:
            guard rows.count == 1 else { throw .corrupted("a snapshot has no number") }
            return .finish(SnapshotID(try rows.row(0).unsigned(0)))
        }
    }

    mutating func failed(_ fault: SQLFault, in call: Statement) -> Step<SnapshotID>? {
        // unique_violation: another node has just begun one.
        fault.state == "23505" ? .again : nil
    }

    private mutating func begin() -> Step<SnapshotID> {
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

/// Stores a chunk.
struct PutChunkJob: Job {
    let snapshot: SnapshotID
    let number: UInt32
    let bytes: [UInt8]

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        Pipeline.committing(
            [SQL.putChunk(.int(Int64(clamping: snapshot.number)), .int(Int64(number)), .bytes(bytes))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<Void> {
        rows.first?.count == 1 ? .finish(()) : .fail(.noSnapshot)
    }
}

/// Completes a snapshot whose chunks are all there. To complete it again is no failure.
struct CompleteSnapshotJob: Job {
    let snapshot: SnapshotID
    let chunks: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = Value.int(Int64(clamping: snapshot.number))
        return Pipeline.committing([SQL.completeSnapshot(id, .int(Int64(chunks))), SQL.isSnapshot(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<Void> {
        guard rows.count == 2, rows[1].count == 1 else { return .fail(.noSnapshot) }
        let row = rows[1].row(0)
        let (isComplete, count) = (try row.bool(0), try row.unsigned(1))
        guard isComplete, count == chunks else {
            return .fail(.refused("chunks of the snapshot are missing, or are too many"))
        }
        return .finish(())
    }
}

/// Reads a chunk of a complete snapshot.
struct GetChunkJob: Job {
    let snapshot: SnapshotID
    let number: UInt32

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let id = Value.int(Int64(clamping: snapshot.number))
        return Pipeline.notCommitting([SQL.chunk(id, .int(Int64(number))), SQL.isSnapshot(id)])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<[UInt8]> {
        guard rows.count == 2, rows[0].count == 1, rows[1].count == 1 else { return .fail(.noSnapshot) }
        guard try rows[1].row(0).bool(0) else { return .fail(.noSnapshot) }
        return .finish(try rows[0].row(0).bytes(0))
    }
}

/// Removes entries and snapshots, in many transactions. What is left when its time is over is removed the next time.
struct TrimJob: Job {
    /// Entries of one transaction.
    private static let entriesPerTransaction: Int64 = 512

    let position: LogPosition
    let snapshots: LogPosition
    private var phase = Phase.marking
    private var old: [Int64] = []

    private enum Phase {
        case marking
        case entries
        case looking
        case chunks(SnapshotRemoval)
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
