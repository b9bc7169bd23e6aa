import CarillonCore

/// The membership of the node in its cluster: its incarnation, its lease, and the last view of the other members. It
/// says when the node joins, renews its lease, and leaves.
struct MembershipState: Sendable {
    /// The state of a node that was asked to leave.
    struct Departure: Sendable {
        /// The time at which the node stops even if its entry is not in the log.
        var deadline: Uptime
        /// The position of this member's entry `left`; nil before it is in the log.
        var position: LogPosition?
    }

    /// The last incarnation, also when it is over; nil before the first.
    var incarnation: NodeIncarnation?
    /// The reason why the last attempt to join has failed; nil if no attempt has failed since the node joined last.
    private(set) var joinFailure: LogError?
    /// The last view of all nodes; nil before the first renewal of this incarnation, and after a snapshot could not be
    /// loaded.
    private(set) var view: ClusterView?
    /// The departure that has begun; nil if the node stays.
    private(set) var departure: Departure?
    private var join = HeadCall()
    private var renewal = HeadCall()
    /// The time of a renewal that the lease does not need yet, which publishes the progress of the node and brings the
    /// head of the log; nil if none is due.
    private var reportDue: Uptime?

    /// The incarnation that is not over; nil if the node has none.
    var living: NodeIncarnation? { incarnation.flatMap { $0.isOver ? nil : $0 } }

    // MARK: Joining

    /// Returns the time at which the node should join. Nil if it should not: it is a member, leaves, joins already, or
    /// waits for the answer to a call of its last incarnation.
    func nextJoin(isAppending: Bool) -> Uptime? {
        guard departure == nil else { return nil }
        if let incarnation { guard incarnation.isOver, !isAppending, !renewal.isUnderWay else { return nil } }
        return join.nextAt
    }

    mutating func beginJoin(_ query: HeadQuery) { join.begin(query) }

    /// Ends the attempt to join. Returns the position of the replica and the time when the attempt was sent; nil if
    /// there was no attempt.
    mutating func endJoin() -> HeadQuery? {
        join.end()
        return join.query
    }

    mutating func joinFailed(_ failure: LogError, retryAt time: Uptime) {
        joinFailure = failure
        join.delay(until: time)
    }

    /// Makes the node a member. A report of its progress is due.
    mutating func nodeJoined(_ incarnation: NodeIncarnation, at now: Uptime) {
        self.incarnation = incarnation
        joinFailure = nil
        view = nil
        reportDue = now
    }

    /// Returns true if an entry of the log ends the last incarnation: the member was expired, or its node has joined
    /// again.
    func isEnded(by entry: LogEntry) -> Bool {
        guard let own = incarnation?.member else { return false }
        switch entry.content {
        case .expired(let expired): return expired == own
        case .joined:
            let joined = entry.id.member
            return joined.node == own.node && joined.incarnation > own.incarnation
        case .changes, .left, .initialState: return false
        }
    }

    /// Ends the incarnation, and returns its member; nil if the node has no incarnation that is not over.
    mutating func endIncarnation() -> Member? {
        guard let living else { return nil }
        incarnation?.end()
        return living.member
    }

    // MARK: Renewing

    /// The time at which the node should send the next renewal, because the lease needs it or a report is due. Nil if
    /// the node is no member, or a renewal has no answer yet.
    var nextRenewal: Uptime? {
        guard let living, !renewal.isUnderWay else { return nil }
        return [living.lease.nextRenewal, reportDue].compactMap(\.self).min()
    }

    /// Schedules a renewal before the lease needs one, to publish progress or to learn the head of the log.
    ///
    /// - Parameter minimumIntervalMilliseconds: the shortest time from one renewal to the next.
    mutating func reportSoon(minimumIntervalMilliseconds: UInt64, at now: Uptime) {
        let earliest = renewal.query?.askedAt.later(byMilliseconds: minimumIntervalMilliseconds) ?? now
        reportDue = min(reportDue ?? .max, max(earliest, now))
    }

    mutating func beginRenewal(_ query: HeadQuery, at now: Uptime) {
        renewal.begin(query)
        reportDue = nil
        incarnation?.lease.renewalBegins(at: now)
    }

    /// Ends a renewal that has succeeded, and returns its question; nil if the incarnation is over, or no renewal was
    /// ever sent.
    mutating func leaseRenewed() -> HeadQuery? {
        renewal.end()
        incarnation?.lease.leaseRenewed()
        return living == nil ? nil : renewal.query
    }

    /// Ends a renewal that has failed. The renewals of the other members may be lost, unless the failure says that this
    /// incarnation is over.
    mutating func renewalFailed(_ failure: LogError, at now: Uptime) {
        renewal.end()
        incarnation?.lease.renewalFailed(failure, at: now)
        if failure != .fenced { incarnation?.expiry.databaseFailed() }
    }

    mutating func viewReceived(_ view: ClusterView, at now: Uptime) {
        self.view = view
        incarnation?.expiry.viewReceived(view, at: now)
        incarnation?.comparison.viewReceived(view)
    }

    /// Forgets the view: the snapshots in it may be gone.
    mutating func forgetView() { view = nil }

    // MARK: Leaving

    /// Lets the node leave. The deadline replaces an earlier one.
    mutating func leave(deadline: Uptime) { departure = Departure(deadline: deadline, position: departure?.position) }

    /// Records that the log contains this member's entry `left`.
    mutating func leavingAppended(at position: LogPosition) { departure?.position = position }

    /// Returns true if the replica contains this member's entry `left`.
    func hasLeft(applied: LogPosition) -> Bool { departure?.position.map { applied >= $0 } ?? false }
}
