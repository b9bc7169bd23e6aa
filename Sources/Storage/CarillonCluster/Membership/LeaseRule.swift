package import CarillonCore

/// Decides until when this node may act, and when it renews its lease.
///
/// A lease is counted by the node's own monotonic clock, from before its renewal was sent. The log database sees the
/// renewal later, and the others see it later still, so they always count from a later time: no clocks are compared.
///
/// For example, a renewal is sent at 10.0 s of this node's clock, and the log answers at 10.3 s. With the usual times
/// the lease is in force until 14.0 s. If no further renewal succeeds, this node begins nothing from then on. The
/// others have heard of the renewal after 10.0 s, and wait for the lease and a margin, which are five seconds. So they
/// take over after 15.0 s at the earliest, when this node has begun nothing for a second.
package struct LeaseRule: Sendable {
    /// The next renewal comes after this part of the usual time, if one has failed.
    private static let failedRenewalDivisor: UInt64 = 4

    private let times: LeaseTimes
    /// The time at which the lease ends unless the incarnation is over before.
    private var end: Uptime
    private var renewalDue: Uptime
    /// The time at which the unanswered renewal was sent; nil if there is none.
    private var sentAt: Uptime?
    /// True if the incarnation is over.
    package private(set) var isOver = false

    /// Makes the rule of a member that has joined. Its first lease counts from the time at which the join was sent.
    ///
    /// - Parameter sentAt: the time at which the join that succeeded was sent. The join was the first renewal.
    package init(times: LeaseTimes, joinSentAt sentAt: Uptime) {
        self.times = times
        end = sentAt.later(byMilliseconds: times.leaseMilliseconds)
        renewalDue = sentAt.later(byMilliseconds: times.renewalMilliseconds)
    }

    /// The time at which the lease ends; nil if the incarnation is over, which ends the lease too.
    package var inForceUntil: Uptime? { isOver ? nil : end }

    /// Returns true if the lease is in force: the node may begin a push or answer a request.
    package func isInForce(at now: Uptime) -> Bool {
        !isOver && now < end
    }

    /// Returns the milliseconds that are left of the lease; 0 if it is not in force.
    package func remainingMilliseconds(at now: Uptime) -> UInt64 { isOver ? 0 : end.milliseconds(since: now) }

    /// The time at which the node should send the next renewal; nil while a renewal has no answer, and after the end of
    /// the incarnation.
    package var nextRenewal: Uptime? { sentAt == nil && !isOver ? renewalDue : nil }

    /// Begins a renewal. Call this before it is sent: the lease counts from `now`.
    package mutating func renewalBegins(at now: Uptime) {
        sentAt = now
        renewalDue = now.later(byMilliseconds: times.renewalMilliseconds)
    }

    package mutating func leaseRenewed() {
        guard let sentAt else { return }
        self.sentAt = nil
        end = max(end, sentAt.later(byMilliseconds: times.leaseMilliseconds))
    }

    /// Ends a renewal that has failed. The next one comes after a short delay, unless the incarnation is over.
    package mutating func renewalFailed(_ failure: LogError, at now: Uptime) {
        sentAt = nil
        if failure == .fenced { isOver = true }
        renewalDue = min(renewalDue, now.later(byMilliseconds: times.renewalMilliseconds / Self.failedRenewalDivisor))
    }

    /// Ends the lease, because the log says that the incarnation is over.
    package mutating func memberFenced() { isOver = true }
}

/// The durations of leases and of the times that follow from them, in milliseconds. All nodes of a cluster have the
/// same.
package struct LeaseTimes: Hashable, Sendable {
    /// The time for which a node may begin pushes and answer reads after it has sent a renewal that succeeded.
    package var leaseMilliseconds: UInt64 = 4_000
    /// The time after the lease for which others wait before they expire a node. It allows for monotonic clocks that
    /// run at different speeds, and for a push that was being begun.
    package var marginMilliseconds: UInt64 = 1_000
    /// The time from one renewal to the next.
    package var renewalMilliseconds: UInt64 = 1_000

    /// With the usual durations, a node that is gone is expired 5 to 7 seconds after its last renewal.
    package init() {}

    package init(leaseMilliseconds: UInt64, marginMilliseconds: UInt64, renewalMilliseconds: UInt64) {
        self.leaseMilliseconds = leaseMilliseconds
        self.marginMilliseconds = marginMilliseconds
        self.renewalMilliseconds = renewalMilliseconds
    }
}
