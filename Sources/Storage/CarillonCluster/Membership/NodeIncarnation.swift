import CarillonCore

/// One incarnation of the node, from its join until an entry or an answer of the log database says that it is over. It
/// has the rules that begin anew with each incarnation.
struct NodeIncarnation: Sendable {
    let member: Member
    /// The time at which the answer to the join came.
    let joinedAt: Uptime
    var append: AppendRule
    var lease: LeaseRule
    var expiry: ExpiryRule
    var comparison: ReplicaComparison
    private(set) var isOver = false

    /// Makes the state of a member that has joined.
    ///
    /// - Parameter joinSentAt: the time at which the join was sent. The lease counts from then.
    init(_ member: Member, times: LeaseTimes, joinSentAt: Uptime, at now: Uptime) {
        self.member = member
        joinedAt = now
        append = AppendRule(member: member)
        lease = LeaseRule(times: times, joinSentAt: joinSentAt)
        expiry = ExpiryRule(member: member, times: times)
        comparison = ReplicaComparison(member: member)
    }

    /// Ends the incarnation and its lease. An append in flight goes on until its end is known.
    mutating func end() {
        isOver = true
        lease.memberFenced()
    }
}
