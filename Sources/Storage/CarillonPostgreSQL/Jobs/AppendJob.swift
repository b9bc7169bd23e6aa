import CarillonCluster

/// Appends an entry, in two pipelines.
///
/// The first stores the bytes, in a transaction that it leaves open. The second, of a few hundred bytes, locks the
/// head, gives the entry its position and commits. All nodes wait for the head. So the head is never locked while a
/// node still sends its bytes, because that node may stop, or be cut off, halfway.
struct AppendJob: Job {
    private let entry: LogEntry
    /// The silence after which the entry may end its member; nil if the entry ends no member, or if an operator removes
    /// the member.
    private let silence: RequiredSilence?
    private let bytes: [UInt8]
    private var notifies = false
    private var phase = Phase.storing

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The transaction is begun, and the bytes are stored. Leads to `assigning`.
        case storing
        /// The head is locked, and the entry gets its position, which the statement at this place answers. Ends the
        /// job, or leads to `asking`.
        case assigning(positionPlace: Int)
        /// The entry got no position, and the row of the node says why. Ends the job.
        case asking
    }

    init(_ entry: LogEntry, silence: RequiredSilence? = nil) {
        self.entry = entry
        self.silence = silence
        bytes = entry.bytes
    }

    private var member: Member { entry.id.member }
    private var name: SQLValue { .text(member.node.text) }
    private var incarnation: SQLValue { .int(Int64(clamping: member.incarnation)) }
    private var sequence: SQLValue { .int(Int64(clamping: entry.id.sequence)) }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .storing
        notifies = features.hasNotifications
        return Pipeline.notCommitting([SQL.begin(), SQL.storeBody(incarnation, sequence, .bytes(bytes))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<LogPosition> {
        switch phase {
        case .storing:
            let assignment = makeAssignment()
            phase = .assigning(positionPlace: assignment.positionPlace)
            return .send(Pipeline.committing(assignment.calls))
        case .assigning(let positionPlace):
            guard rows.indices.contains(positionPlace), rows[positionPlace].count == 1 else {
                throw .corrupted("an entry has no position")
            }
            return .finish(try rows[positionPlace].row(0).position(0))
        case .asking:
            guard let found = rows.first, !found.isEmpty else { return .fail(.fenced) }
            let node = found.row(0)
            guard try node.unsigned(SQL.NodeColumn.incarnation) == member.incarnation,
                try !node.bool(SQL.NodeColumn.isOver)
            else { return .fail(.fenced) }
            guard try node.unsigned(SQL.NodeColumn.sequence) < entry.id.sequence else {
                return .fail(.refused("the sequence of entry \(entry.id) was used"))
            }
            return .fail(.leaseRenewed)
        }
    }

    /// The statements from the lock of the head to the commit.
    private struct Assignment {
        let calls: [StatementCall]
        /// The place of the statement that answers the position. It depends on the entry.
        let positionPlace: Int
    }

    private func makeAssignment() -> Assignment {
        let size = SQLValue.int(Int64(bytes.count))
        var calls = [SQL.lockHead()]
        let positionPlace: Int
        switch entry.content {
        case .changes, .joined, .initialState:
            positionPlace = calls.count
            calls.append(SQL.assignPosition(name, incarnation, sequence, size))
        case .left:
            positionPlace = calls.count
            calls.append(SQL.assignPosition(name, incarnation, sequence, size))
            calls.append(SQL.endLease(name, incarnation))
            calls.append(SQL.endNode(name, incarnation, incarnation, sequence))
        case .expired(let expiredMember):
            let expiredName = SQLValue.text(expiredMember.node.text)
            let expiredIncarnation = SQLValue.int(Int64(clamping: expiredMember.incarnation))
            if let silence {
                calls.append(
                    SQL.endLeaseIfSilent(
                        expiredName, expiredIncarnation, .int(Int64(clamping: silence.renewals)),
                        .int(Int64(clamping: silence.milliseconds))))
            } else {
                calls.append(SQL.endLease(expiredName, expiredIncarnation))
            }
            calls.append(SQL.endNode(expiredName, expiredIncarnation, incarnation, sequence))
            positionPlace = calls.count
            calls.append(SQL.assignExpiryPosition(name, incarnation, sequence, size, expiredName))
        }
        if notifies { calls.append(SQL.notify()) }
        calls.append(SQL.commit())
        return Assignment(calls: calls, positionPlace: positionPlace)
    }

    mutating func failed(_ fault: SQLFault, in statement: Statement) -> JobStep<LogPosition>? {
        switch (fault.state, statement.name) {
        // The member is over, or the sequence was used, or the other member was not silent.
        case (SQLState.notNullViolation, SQL.assignPosition.name),
            (SQLState.notNullViolation, SQL.assignExpiryPosition.name):
            phase = .asking
            return .send(Pipeline.notCommitting([SQL.node(name)]))
        // An earlier append of this entry has arrived.
        case (SQLState.uniqueViolation, SQL.storeBody.name):
            return .fail(.unavailable(.unknown, "an earlier append of entry \(entry.id) has arrived"))
        default: return nil
        }
    }
}
