import CarillonCluster

/// Finds out what became of an entry, and closes its sequence.
///
/// The job waits for the lock of the head, so an append that is being committed has ended when the job looks. The job
/// changes the row of the node even if the sequence is closed already. So when its commit is durable, also on a
/// synchronous standby, everything that was committed before is durable too.
struct SettleJob: Job {
    let id: LogEntry.ID

    /// The places of the answers that the job reads, in the order of the statements of ``start(with:)``.
    private enum Place {
        static let head = 1
        static let node = 2
        static let entry = 3
        /// The number of statements.
        static let count = 6
    }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        let name = SQLValue.text(id.member.node.text)
        let incarnation = SQLValue.int(Int64(clamping: id.member.incarnation))
        let sequence = SQLValue.int(Int64(clamping: id.sequence))
        return Pipeline.committing(
            [
                SQL.begin(), SQL.lockHead(), SQL.node(name), SQL.findEntry(name, incarnation, sequence),
                SQL.closeSequence(name, incarnation, sequence), SQL.commit(),
            ])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Settlement> {
        guard rows.count == Place.count, rows[Place.head].count == 1 else { throw .corrupted("the log has no head") }
        let head = rows[Place.head].row(0)
        let nodes = rows[Place.node]
        let entries = rows[Place.entry]
        if !entries.isEmpty { return .finish(.appended(try entries.row(0).position(0))) }
        guard !nodes.isEmpty else { return .finish(.never) }
        let node = nodes.row(0)
        guard try node.unsigned(SQL.NodeColumn.incarnation) == id.member.incarnation else {
            return .finish(try head.position(SQL.HeadColumn.trimmed) > 0 ? .forgotten : .never)
        }
        guard try node.unsigned(SQL.NodeColumn.appended) == id.sequence else { return .finish(.never) }
        return .finish(.appended(try node.position(SQL.NodeColumn.position)))
    }
}
