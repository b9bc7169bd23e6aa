package import CarillonCore

/// Decides when this node expires another that has not renewed its lease.
///
/// Two clocks must agree. By this node's monotonic clock, the number of the other node's renewals has stayed the same
/// for the lease and the margin. The log database checks the silence by its own clock too, with the number of renewals,
/// in the transaction of the expiry. Neither clock alone would be enough: a node whose clock is broken would expire all
/// others, and after a failover the log database has the clock of another machine, which may be ahead.
package struct ExpiryRule: Sendable {
    private struct Observation: Sendable {
        var renewals: UInt64
        var leaseMilliseconds: UInt64
        /// The time at which that number was seen first.
        var since: Uptime
    }

    private let member: Member
    private let marginMilliseconds: UInt64
    private var observations: [Member: Observation] = [:]

    /// Makes the rule of a member.
    ///
    /// - Parameter member: this node, which never expires itself.
    package init(member: Member, times: LeaseTimes) {
        self.member = member
        marginMilliseconds = times.marginMilliseconds
    }

    /// Takes the numbers of renewals from a view.
    package mutating func viewReceived(_ view: ClusterView, at now: Uptime) {
        var seen: [Member: Observation] = [:]
        for node in view.liveNodes where node.member != member {
            if let known = observations[node.member], known.renewals == node.renewals {
                seen[node.member] = known
            } else {
                seen[node.member] = Observation(
                    renewals: node.renewals, leaseMilliseconds: node.progress.leaseMilliseconds, since: now)
            }
        }
        observations = seen
    }

    /// Observes a member anew, because the log database has refused to expire it.
    package mutating func expiryRefused(of member: Member, at now: Uptime) { observations[member]?.since = now }

    /// Observes all members anew from the next view on, because a call of the log database has failed. The database may
    /// have crashed. If it does not sync renewals, it has lost the last ones, and a member would look silent for too
    /// long.
    package mutating func databaseFailed() { observations = [:] }

    /// Returns the members to expire now, each with the silence that the log database must confirm. The member that has
    /// been silent longest comes first.
    package func expirableMembers(at now: Uptime) -> [(member: Member, silence: RequiredSilence)] {
        observations.filter { now >= end(of: $0.value) }
            .sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
            .map {
                ($0.key, RequiredSilence(renewals: $0.value.renewals, milliseconds: silenceMilliseconds(for: $0.value)))
            }
    }

    /// The time at which the next member will have been silent for long enough; nil if no other node lives.
    package var nextCheck: Uptime? { observations.values.map(end).min() }

    /// Returns the silence after which the member of an observation is expired: its lease and the margin.
    private func silenceMilliseconds(for observation: Observation) -> UInt64 {
        let (sum, overflows) = observation.leaseMilliseconds.addingReportingOverflow(marginMilliseconds)
        return overflows ? .max : sum
    }

    private func end(of observation: Observation) -> Uptime {
        observation.since.later(byMilliseconds: silenceMilliseconds(for: observation))
    }
}
