import CarillonCluster

/// A job that appends an entry, in two pipelines.
///
/// The first stores the bytes, in a transaction that it leaves open. The second, of a few hundred bytes, locks the
/// head, gives the entry its position and commits. All nodes wait for the head. So the head is never locked while a
/// node still sends its bytes, because that node may stop, or be cut off, halfway.
struct AppendJob: Job {
    private let entry: LogEntry
    /// The silence after which the entry may end its member; nil if the entry ends no member, or if an operator removes
    /// the member.
    private let silence: Silence?
    private let bytes: [UInt8]
    private var notifies = false
    private var phase = Phase.storing

    /// The statements whose answer the job waits for.
    private enum Phase {
        /// The transaction is begun, and the bytes are stored. Leaves to `placing`.
        case storing
        /// The head is locked, and the entry gets its position. Ends the job, or leaves to `asking`.
        case placing
        /// The entry got no position, and the row of the node says why. Ends the job.
        case asking
    }

    init(_ entry: LogEntry, silence: Silence? = nil) {
        (self.entry, self.silence, bytes) = (entry, silence, entry.bytes)
    }

    private var member: Member { entry.id.member }
    private var name: Value { .text(member.node.text) }
    private var incarnation: Value { .int(Int64(clamping: member.incarnation)) }
    private var sequence: Value { .int(Int64(clamping: entry.id.sequence)) }

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        phase = .storing
        notifies = features.hasNotifications
        return Pipeline.notCommitting([SQL.begin(), SQL.storeBody(incarnation, sequence, .bytes(bytes))])
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<LogPosition> {
        switch phase {
        case .storing:
            phase = .placing
            return .send(Pipeline.committing(placement))
        case .placing:
            guard let placed = rows.first(where: { $0.count == 1 && !$0.row(0).has(1) }) else {
                throw .corrupted("an entry has no position")
            }
            return .finish(try placed.row(0).position(0))
        case .asking:
            guard let row = rows.first, !row.isEmpty else { return .fail(.fenced) }
            let (current, isOver) = (try row.row(0).unsigned(0), try row.row(0).bool(4))
            guard current == member.incarnation, !isOver else { return .fail(.fenced) }
            let used = try row.row(0).unsigned(1)
            guard used < entry.id.sequence else {
                return .fail(.refused("the sequence of entry \(entry.id) was used"))
            }
            return .fail(.leaseRenewed)
        }
    }

    /// The statements from the lock of the head to the commit.
    private var placement: [StatementCall] {
        let size = Value.int(Int64(bytes.count))
        var calls = [SQL.lockHead()]
        switch entry.content {
        case .changes, .joined, .began: calls.append(SQL.place(name, incarnation, sequence, size))
        case .left:
            calls.append(SQL.place(name, incarnation, sequence, size))
            calls.append(SQL.endLease(name, incarnation))
            calls.append(SQL.endNode(name, incarnation, incarnation, sequence))
        case .expired(let expiredMember):
            let (victimName, victimNumber) = (
                Value.text(expiredMember.node.text), Value.int(Int64(clamping: expiredMember.incarnation))
            )
            if let silence {
                calls.append(
                    SQL.endLeaseIfSilent(
                        victimName, victimNumber, .int(Int64(clamping: silence.renewals)),
                        .int(Int64(clamping: silence.milliseconds))))
            } else {
                calls.append(SQL.endLease(victimName, victimNumber))
            }
            calls.append(SQL.endNode(victimName, victimNumber, incarnation, sequence))
            calls.append(SQL.placeExpiry(name, incarnation, sequence, size, victimName))
        }
        if notifies { calls.append(SQL.notify()) }
        return calls + [SQL.commit()]
    }

    mutating func failed(_ fault: SQLFault, in call: Statement) -> JobStep<LogPosition>? {
        switch (fault.state, call.name) {
        // not_null_violation: the member is over, or the sequence was used, or the other member was not silent.
        case ("23502", SQL.place.name), ("23502", SQL.placeExpiry.name):
            phase = .asking
            return .send(Pipeline.notCommitting([SQL.node(name)]))
        // unique_violation: an earlier append of this entry has arrived.
        case ("23505", SQL.storeBody.name):
            return .fail(.unavailable(.unknown, "an earlier append of entry \(entry.id) has arrived"))
        default: return nil
        }
    }
}
