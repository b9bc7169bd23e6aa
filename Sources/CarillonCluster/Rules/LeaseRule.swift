package import CarillonCore

/// Decides until when this node may act, and when it renews its lease.
///
/// A lease is counted by the node's own monotonic clock, from before its renewal was sent. The log database sees the
/// renewal later, and the others see it later still, so they always count from a later time: no clocks are compared.
package struct LeaseRule: Sendable {
    private let times: LeaseTimes
    /// When the lease ends; nil if it is not in force any more, because the incarnation is over.
    package var inForceUntil: Uptime? { isOver ? nil : end }

    /// When the lease ends.
    private var end: Uptime
    private var renewalDue: Uptime
    /// When the renewal that is under way was sent.
    private var sentAt: Uptime?
    /// True if the incarnation is over.
    package private(set) var isOver = false

    /// Makes the rule of a node that has joined.
    ///
    /// - Parameter sentAt: when the join that succeeded was sent: it was the first renewal.
    package init(times: LeaseTimes, joinSentAt sentAt: Uptime) {
        self.times = times
        end = sentAt.later(byMilliseconds: times.leaseMilliseconds)
        renewalDue = sentAt.later(byMilliseconds: times.renewalMilliseconds)
    }

    /// Returns true if the lease is in force: the node may begin a push or answer a request.
    package func isInForce(at now: Uptime) -> Bool {
        !isOver && now < end
    }

    /// Milliseconds that are left; 0 if the lease is not in force.
    package func remaining(at now: Uptime) -> UInt64 { isOver ? 0 : end.milliseconds(since: now) }

    /// When the next renewal is to be sent; nil while one is under way, and when the incarnation is over.
    package var nextRenewal: Uptime? { sentAt == nil && !isOver ? renewalDue : nil }

    /// A renewal is about to be sent. Call this before it is sent: the lease counts from `now`.
    package mutating func willRenew(at now: Uptime) {
        sentAt = now
        renewalDue = now.later(byMilliseconds: times.renewalMilliseconds)
    }

    /// The renewal has succeeded.
    package mutating func renewed() {
        guard let sentAt else { return }
        self.sentAt = nil
        end = max(end, sentAt.later(byMilliseconds: times.leaseMilliseconds))
    }

    /// The renewal has failed; the next one comes after a short pause, unless the incarnation is over.
    package mutating func renewalFailed(_ failure: LogError, at now: Uptime) {
        sentAt = nil
        if failure == .fenced { isOver = true }
        renewalDue = min(renewalDue, now.later(byMilliseconds: times.renewalMilliseconds / 4))
    }

    /// The log says that the incarnation is over.
    package mutating func fenced() { isOver = true }
}
