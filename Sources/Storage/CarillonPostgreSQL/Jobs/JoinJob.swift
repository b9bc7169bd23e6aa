import CarillonCluster
import CarillonCore

/// Creates the tables if there are none, and begins a new incarnation of a node.
struct JoinJob: Job {
    private let node: JoiningNode
    private let newLog: UUIDBytes
    private var features = DatabaseFeatures()
    private var phase = Phase.reading
    private var joined: JoinedNode?

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The job reads which log this is. Leads to `locking`, or to `creating` if there are no tables.
        case reading
        /// The job creates the tables. Leads to `tuning`.
        case creating
        /// The job switches off compression, which the log database may not know. Leads to `reading`.
        case tuning
        /// The job locks the head, and reads who has the name of the node. Leads to `joining`.
        case locking
        /// The job writes the new incarnation, and ends.
        case joining
    }

    /// Makes the job that joins a node.
    ///
    /// - Parameter newLog: the name of the log if this node is the first.
    init(_ node: JoiningNode, newLog: UUIDBytes) { (self.node, self.newLog) = (node, newLog) }

    private var name: SQLValue { .text(node.name.text) }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .reading
        self.features = features
        return Pipeline.notCommitting([SQL.identity()])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<JoinedNode> {
        switch phase {
        case .reading:
            guard let row = rows.first, !row.isEmpty else { return createTables() }
            try Schema.check(version: try row.row(0).int(0))
            return lock()
        case .creating:
            phase = .tuning
            return .send(Pipeline.committing(Schema.uncompressed.map { $0() }))
        case .tuning: return .send(start(with: features))
        case .locking: return try join(rows)
        case .joining:
            guard let joined else { throw .corrupted("no join was begun") }
            return .finish(joined)
        }
    }

    mutating func failed(_ fault: SQLFault, in statement: Statement) -> JobStep<JoinedNode>? {
        switch (phase, fault.state) {
        // This is the first node.
        case (.reading, SQLState.undefinedTable): createTables()
        // Two nodes make the tables at once. The unique key is one of the catalogue.
        case (.creating, SQLState.duplicateTable), (.creating, SQLState.duplicateObject),
            (.creating, SQLState.uniqueViolation):
            .startAgain
        // The log database has no such setting.
        case (.tuning, _): .send(start(with: features))
        default: nil
        }
    }

    private mutating func createTables() -> JobStep<JoinedNode> {
        phase = .creating
        let calls =
            [SQL.begin()] + Schema.tables.map { $0() } + [Schema.head(.int(Schema.version), .bytes(newLog.bytes))]
        return .send(Pipeline.committing(calls + [SQL.commit()]))
    }

    /// The places of the answers that ``join(_:)`` reads, in the order of the statements of ``lock()``.
    private enum Place {
        static let head = 1
        static let node = 2
        static let progress = 3
        /// The number of statements.
        static let count = 4
    }

    private mutating func lock() -> JobStep<JoinedNode> {
        phase = .locking
        return .send(
            Pipeline.notCommitting([SQL.begin(), SQL.lockHead(), SQL.node(name), SQL.progress(name)]))
    }

    private mutating func join(_ rows: [Rows]) throws(LogError) -> JobStep<JoinedNode> {
        guard rows.count == Place.count, rows[Place.head].count == 1 else { throw .corrupted("the log has no head") }
        if let reason = try nameInUse(node: rows[Place.node], progress: rows[Place.progress]) {
            return .fail(.nameInUse(reason))
        }
        let head = rows[Place.head].row(0)
        let incarnations = try head.unsigned(SQL.LockedHeadColumn.incarnations)
        guard let position = try head.position(SQL.HeadColumn.position).next, incarnations < UInt64(Int64.max) else {
            throw .refused("the log is full: its positions have come to an end")
        }
        let member = Member(node: node.name, incarnation: incarnations + 1)
        joined = JoinedNode(member: member, position: position, log: try head.uuid(SQL.LockedHeadColumn.log))
        let id = LogEntry.ID(member: member, sequence: 1)
        guard let bytes = LogEntry(id: id, format: node.format, content: .joined)?.bytes else {
            throw .refused("the entry is too large")
        }
        let incarnation = SQLValue.int(Int64(clamping: member.incarnation))
        let newHead = SQLValue.int(Int64(clamping: position.number))
        phase = .joining
        var calls = [
            SQL.countIncarnation(incarnation, newHead),
            SQL.putNode(name, incarnation, .bytes(node.replicaID.bytes), newHead),
            SQL.putProgress(name, incarnation, .int(Int64(clamping: node.leaseMilliseconds)), .text(node.address)),
            SQL.storeBody(incarnation, .int(1), .bytes(bytes)),
            SQL.putEntry(newHead, incarnation, .int(1), .int(Int64(bytes.count))),
        ]
        if features.hasNotifications { calls.append(SQL.notify()) }
        return .send(Pipeline.committing(calls + [SQL.commit()]))
    }

    /// Returns the reason why the node may not have its name; nil if it may.
    private func nameInUse(node found: Rows, progress: Rows) throws(LogError) -> String? {
        guard !found.isEmpty, !progress.isEmpty else { return nil }
        let row = found.row(0)
        let lease = progress.row(0)
        guard try row.uuid(SQL.NodeColumn.replica) != node.replicaID, try !row.bool(SQL.NodeColumn.isOver),
            try row.int(SQL.NodeColumn.incarnation) == lease.int(SQL.ProgressColumn.incarnation)
        else { return nil }
        let silence = max(0, try lease.int(SQL.ProgressColumn.silenceMilliseconds))
        let left = try lease.int(SQL.ProgressColumn.leaseMilliseconds).subtractingReportingOverflow(silence)
        guard !left.overflow, left.partialValue > 0 else { return nil }
        let address = try lease.text(SQL.ProgressColumn.address)
        return "another data directory has the name \(node.name), at \(address), for \(left.partialValue) ms more"
    }
}
