import CarillonCore

/// Whether the node is a member of the cluster, until when, and what it knows of the other members. It joins, renews
/// its lease, and leaves.
struct MembershipState: Sendable {
    /// The node leaves, as it was asked to.
    struct Departure: Sendable {
        /// When the node stops even if its entry is not in the log.
        var deadline: Uptime
        /// The position of the entry that says that this member has left; nil before it is in the log.
        var position: LogPosition?
    }

    /// The last incarnation, also when it is over; nil before the first.
    var incarnation: NodeIncarnation?
    /// Why the last attempt to join has failed; nil if none has since the last one that succeeded.
    private(set) var joinFailure: LogError?
    /// What the log database has said of all nodes last; nil before the first renewal of this incarnation, and after
    /// a snapshot could not be loaded.
    private(set) var view: ClusterView?
    /// Nil if the node is to stay.
    private(set) var departure: Departure?
    private var join = HeadCall()
    private var renewal = HeadCall()
    /// When a renewal is to be sent although the lease does not need it yet; nil if none is.
    private var reportDue: Uptime?

    /// The incarnation that is not over; nil if there is none.
    var living: NodeIncarnation? { incarnation.flatMap { $0.isOver ? nil : $0 } }

    // MARK: Joining

    /// When the node is to join; nil if it is not to: it is a member, leaves, or something of its last incarnation is
    /// under way.
    func nextJoin(isAppending: Bool) -> Uptime? {
        guard departure == nil else { return nil }
        if let incarnation { guard incarnation.isOver, !isAppending, !renewal.isUnderWay else { return nil } }
        return join.next
    }

    mutating func beginJoin(_ query: HeadQuery) { join.begin(query) }

    /// The attempt to join has ended. Returns what the replica contained when it was sent, and when that was; nil if
    /// there was no attempt.
    mutating func endJoin() -> HeadQuery? {
        join.end()
        return join.query
    }

    mutating func joinFailed(_ failure: LogError, retry: Uptime) {
        joinFailure = failure
        join.wait(until: retry)
    }

    /// The node is a member. Its progress is due to be reported.
    mutating func joined(_ incarnation: NodeIncarnation, at now: Uptime) {
        self.incarnation = incarnation
        (joinFailure, view, reportDue) = (nil, nil, now)
    }

    /// Ends the incarnation, and returns its member; nil if there is none that is not over.
    mutating func endIncarnation() -> Member? {
        guard let living else { return nil }
        incarnation?.end()
        return living.member
    }

    // MARK: Renewing

    /// When the next renewal is to be sent, because the lease needs it or a report is due; nil if none is, or one is
    /// under way.
    var nextRenewal: Uptime? {
        guard let living, !renewal.isUnderWay else { return nil }
        return [living.lease.nextRenewal, reportDue].compactMap(\.self).min()
    }

    /// Schedules a renewal before the lease needs one, to publish progress or to learn the head of the log.
    ///
    /// - Parameter pause: the shortest time from one renewal to the next, in milliseconds.
    mutating func reportSoon(pause: UInt64, at now: Uptime) {
        let earliest = renewal.query?.askedAt.later(byMilliseconds: pause) ?? now
        reportDue = min(reportDue ?? .max, max(earliest, now))
    }

    mutating func beginRenewal(_ query: HeadQuery, at now: Uptime) {
        renewal.begin(query)
        reportDue = nil
        incarnation?.lease.willRenew(at: now)
    }

    /// The renewal has succeeded. Returns what it asked; nil if the incarnation is over, or there was no renewal.
    mutating func renewed() -> HeadQuery? {
        renewal.end()
        incarnation?.lease.renewed()
        return living == nil ? nil : renewal.query
    }

    /// The renewal has failed. What the other members have renewed may be lost, unless the failure says that this
    /// incarnation is over.
    mutating func renewalFailed(_ failure: LogError, at now: Uptime) {
        renewal.end()
        incarnation?.lease.renewalFailed(failure, at: now)
        if failure != .fenced { incarnation?.silence.databaseFailed() }
    }

    mutating func saw(_ view: ClusterView, at now: Uptime) {
        self.view = view
        incarnation?.silence.saw(view, at: now)
        incarnation?.comparison.saw(view)
    }

    /// Forgets the view: the snapshots in it may be gone.
    mutating func forgetView() { view = nil }

    // MARK: Leaving

    /// The node is to leave. The deadline replaces an earlier one.
    mutating func leave(deadline: Uptime) { departure = Departure(deadline: deadline, position: departure?.position) }

    /// The entry that says that the member has left is in the log.
    mutating func left(at position: LogPosition) { departure?.position = position }

    /// Returns true if the replica contains the entry that says that the member has left.
    func hasLeft(applied: LogPosition) -> Bool { departure?.position.map { applied >= $0 } ?? false }
}
