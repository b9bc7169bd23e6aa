package import CarillonCore

/// Decides when this node expires another that has not renewed its lease.
///
/// Two clocks must agree. By this node's monotonic clock the number of the other's renewals has stayed the same for the
/// lease and the margin; that alone would do. By the log database's clock as well: the log database checks it, with the
/// number of renewals, in the transaction of the expiry. The log database's clock alone would not do: after a failover
/// it is another machine's, and may have jumped ahead.
package struct SilenceRule: Sendable {
    private struct Observation: Sendable {
        var renewals: UInt64
        var leaseMilliseconds: UInt64
        /// When that number was seen first.
        var since: Uptime
    }

    private let member: Member
    private let marginMilliseconds: UInt64
    private var observations: [Member: Observation] = [:]

    /// Makes the rule of a node, which is `member` itself: it never expires that one.
    package init(member: Member, times: LeaseTimes) {
        (self.member, marginMilliseconds) = (member, times.marginMilliseconds)
    }

    /// A view has come.
    package mutating func saw(_ view: ClusterView, at now: Uptime) {
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

    /// The log database has refused to expire a member: it is observed from now on again.
    package mutating func wasNotSilent(_ member: Member, at now: Uptime) { observations[member]?.since = now }

    /// A call of the log database has failed: it may have crashed and lost the last renewals, which are not synced, so
    /// all members are observed from the next view on again. Otherwise a lost renewal could look like silence that
    /// began before it.
    package mutating func databaseFailed() { observations = [:] }

    /// The members that are to be expired now, with what the log database is to check; the longest silent one comes
    /// first.
    package func silent(at now: Uptime) -> [(member: Member, silence: Silence)] {
        observations.filter { now >= end(of: $0.value) }
            .sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
            .map { ($0.key, Silence(renewals: $0.value.renewals, milliseconds: wait($0.value))) }
    }

    /// When the next member will have been silent for long enough; nil if no other node lives.
    package var nextCheck: Uptime? { observations.values.map(end).min() }

    private func wait(_ observation: Observation) -> UInt64 {
        let (sum, overflows) = observation.leaseMilliseconds.addingReportingOverflow(marginMilliseconds)
        return overflows ? .max : sum
    }

    private func end(of observation: Observation) -> Uptime {
        observation.since.later(byMilliseconds: wait(observation))
    }
}
