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
